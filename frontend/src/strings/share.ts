/** Sentences about sharing a run, and above a shared run. */
export const text = {
  open: 'Share',
  title: 'Share this run',
  inside: 'For people with an account',
  insideHelp: 'This is the address of this page. People log in before they see it.',
  outside: 'For anyone',
  outsideHelp:
    'Anyone with such a link can read the run without an account. They see question, reference and verdict, every prompt, message and tool call, the settings of the method, tokens, cost and times, and the names of model, endpoint, pool, roles and checkpoint. They see no names of users, and they cannot change or run anything.',
  switchedOff:
    'This studio has switched off links that need no account. The links below work again once it allows them.',
  active: 'You can make a link once the run has ended.',
  copy: 'Copy link',
  copyOf: (number: number) => `Copy link ${number}`,
  here: 'Address of this page',
  addressOf: (number: number) => `Link ${number}`,
  make: 'Make link',
  works: 'Valid',
  forDays: (days: number) => (days === 1 ? 'for 1 day' : `for ${days} days`),
  forever: 'until you revoke it',
  until: (when: string) => `Works until ${when}`,
  lasting: 'Works until you revoke it',
  madeBy: (name: string, when: string) => `made by ${name} ${when}`,
  revoke: 'Revoke',
  revokeOf: (number: number) => `Revoke link ${number}`,
  revoked: 'The link is revoked.',
  made: 'The link is made.',
  shared: {
    about: 'Shared run, read only',
    enter: 'Open in the studio',
    missing: 'This shared run cannot be shown',
    toStudio: 'Open the studio',
  },
}
