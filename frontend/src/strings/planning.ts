/** What trace, timeline and replay say of a model that divides the question. */
export const text = {
  name: (ordinal: number) => (ordinal === 1 ? 'Planner' : 'Planner, asked again'),
  on: (ordinal: number, endpoint: string) =>
    `${ordinal === 1 ? 'divides the question' : 'mends its reply'}, on ${endpoint}`,
  asked: (ordinal: number) =>
    ordinal === 1 ? 'The planner is asked to divide the question' : 'The planner is asked again',
} as const
