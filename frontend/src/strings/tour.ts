/** What is said on the tour over a run's page, and over the sample run that it begins with. */
export const text = {
  title: 'Tour of this page',
  show: 'Show the tour of this page',
  place: (at: number, of: number) => `${at} of ${of}`,
  skip: 'Skip the tour',
  back: 'Back',
  next: 'Next',
  done: 'Done',
  keys: 'Arrow keys turn the pages, Escape ends the tour.',
  steps: {
    question: {
      title: 'The question',
      text: 'What was asked, and how the run stands. For this question alone a policy built a team of agents.',
    },
    graph: {
      title: 'The team',
      text: 'Every card is an agent, and a line leads to whoever reads its message. A card opens what its agent was told and what it said.',
    },
    replay: {
      title: 'Play it again',
      text: 'Press play, or move the slider to any moment: the team stands there as it stood then, and the address links to it.',
    },
    why: {
      title: 'Why this agent?',
      text: 'Step by step, the action that was chosen and the probabilities of all that could have been. Where a team is fixed, its agents are listed here.',
    },
    messages: {
      title: 'Every message',
      text: 'The trace holds every prompt, message and tool call, whole, and can be searched. The timeline beside it tells who worked when.',
    },
    costs: {
      title: 'What it took',
      text: 'The method and its settings, then agents, tokens, dollars and seconds. What is not known is a dash, never a zero.',
    },
    actions: {
      title: 'Continue from here',
      text: 'Runs of yours can be compared side by side, taken into the designer, noted and shared. And you can edit what an agent said: a fork goes on from there.',
    },
  },
  sample: {
    label: 'Sample run',
    about: (model: string) =>
      `A sample that comes with the studio: recorded once, on ${model}. Nothing runs here.`,
    tour: 'Show the tour',
    ask: 'Ask this yourself',
    ofReso: 'A sample of ReSo',
    ofMashost: 'A sample of MasHost',
  },
}
