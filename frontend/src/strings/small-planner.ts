/** Warns before a run whose planner would fail. */
export const text = {
  title: (name: string) => `The model of “${name}” is too small to plan`,
  help: 'Models below a billion parameters seldom divide a question well. The run then fails at its planner. Choose a larger model, or set the planner’s endpoint in the settings.',
  sample: 'Open a sample run of ReSo',
} as const
