/** How an episode may end. */
const ENDS: Readonly<Record<string, string>> = {
  solved: 'solved',
  agreed: 'both agreed',
  passed: 'tests passed',
  answered: 'answered',
  turns: 'no turn left',
}

/** Another environment's word is shown as it is. */
export const endOf = (ended: string): string => ENDS[ended] ?? ended
