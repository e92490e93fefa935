/** What is said where a run is shared, and above a shared one. */
export const text = {
  open: 'Share',
  title: 'Share this run',
  inside: 'For people with an account',
  insideHelp: 'The address of this page. Whoever opens it logs in first.',
  outside: 'For anybody',
  outsideHelp:
    'Whoever has such a link reads the run without an account: question, reference answer and verdict, every prompt, message and tool call, the settings of the method, tokens, cost and times, and the names of model, endpoint, pool, roles and checkpoint. It names nobody who works here, and nothing can be changed or run with it.',
  switchedOff:
    'Links that need no account are switched off in this studio. These open nothing as long as they are, and would again.',
  active: 'A run can be shared so when it has ended.',
  copy: 'Copy link',
  copyOf: (number: number) => `Copy link ${number}`,
  here: 'Address of this page',
  addressOf: (number: number) => `Link ${number}`,
  make: 'Make a link',
  works: 'It works',
  forDays: (days: number) => (days === 1 ? 'for 1 day' : `for ${days} days`),
  forever: 'until it is revoked',
  until: (when: string) => `Works until ${when}`,
  lasting: 'Works until it is revoked',
  madeBy: (name: string, when: string) => `made by ${name} ${when}`,
  revoke: 'Revoke',
  revokeOf: (number: number) => `Revoke link ${number}`,
  revoked: 'The link opens nothing any more.',
  made: 'The link is made.',
  shared: {
    about: 'A shared run, to read only',
    enter: 'Open in the studio',
    missing: 'This shared run cannot be shown',
    toStudio: 'To the studio',
  },
}
