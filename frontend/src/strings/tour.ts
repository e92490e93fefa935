/** Sentences of the tour of a run's page, and of the sample run that it starts with. */
export const text = {
  title: 'Tour of this page',
  place: (at: number, of: number) => `${at} of ${of}`,
  skip: 'Skip the tour',
  back: 'Back',
  next: 'Next',
  done: 'Done',
  keys: 'Arrow keys move between steps, Escape ends the tour.',
  steps: {
    question: {
      title: 'The question',
      text: 'You see the question and the status of the run. A policy built a team of agents just for this question.',
    },
    graph: {
      title: 'The team',
      text: 'Every card is an agent. A line goes to the agents that read its message. Open a card to see the prompt and the message.',
    },
    replay: {
      title: 'Play it again',
      text: 'Press play, or move the slider to any moment. You then see the team at that moment, and the address links to it.',
    },
    why: {
      title: 'Why this agent?',
      text: 'Each step shows the chosen action and the probabilities of all actions. If the team is fixed, you see its agents here.',
    },
    messages: {
      title: 'Every message',
      text: 'The trace has every prompt, message and tool call in full, and you can search it. The timeline beside it shows which agent worked when.',
    },
    costs: {
      title: 'What it cost',
      text: 'You see the method and its settings, then agents, tokens, cost and time. A dash means unknown, never zero.',
    },
    actions: {
      title: 'Continue from here',
      text: 'You can compare your runs, open them in the designer, add notes and share them. You can also edit the message of an agent: a new run continues from there.',
    },
  },
  sample: {
    label: 'Sample run',
    about: (model: string) =>
      `This sample comes with the studio. It was recorded on ${model}; nothing runs here.`,
    tour: 'Show the tour',
    ask: 'Ask this question',
    ofReso: 'Open a sample of ReSo',
    ofMashost: 'Open a sample of MasHost',
  },
}
