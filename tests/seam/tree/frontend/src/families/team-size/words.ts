/** What is said of a team whose size a policy draws. */
export const text = {
  tab: 'Size',
  title: 'Team size',
  drawn: (size: number) => `The policy asks ${size} solvers.`,
  probability: (size: number, share: string) => `${size}: ${share}`,
}
