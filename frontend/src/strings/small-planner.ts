/** What is said beside a question that would end at its planner. */
export const text = {
  title: (name: string) => `The model of “${name}” is too small to plan`,
  help: 'Models below one billion parameters seldom divide a question as they should, and the run then ends at its planner. Choose a larger model, or set the planner’s endpoint in the settings.',
  sample: 'See a sample run of ReSo',
} as const
