/** "1 agent", "3 agents"; `shown` where the count is written otherwise than in digits alone. */
export const many = (count: number, one: string, more: string, shown = String(count)): string =>
  `${shown} ${count === 1 ? one : more}`
