/** Warns before a run whose planner or designer would fail, by what it has to write, and before one whose agents would
 * repeat themselves. */
export const text = {
  of: {
    plan: {
      title: (name: string) => `The model of “${name}” is too small to plan`,
      help: 'Models below a billion parameters seldom divide a question well. The run then fails at its planner. Choose a larger model, or set the planner’s endpoint in the settings.',
    },
    script: {
      title: (name: string) => `The model of “${name}” may be too small to write a team’s script`,
      help: 'The embedded model writes none that works, and the run fails at its designer. A model of half a billion parameters mostly writes teams of one agent. Choose a larger model, set the designer’s endpoint, or give a script in the settings. Any model can run the sample script: three solvers vote, and a checker has the last word.',
    },
  },
  circles: {
    title: (model: string, method: string) => `The model of “${model}” is small for ${method}`,
    help: (limit: number) =>
      `Many agents work in turn, and a small model often goes in circles there: its replies are cut at ${String(limit)} tokens, and a question can take minutes. Choose a larger model, or a method with fewer agents.`,
  },
  example: 'Use the sample script',
  sample: 'Open a sample run of ReSo',
} as const
