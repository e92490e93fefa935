/** The parts of a dataset, and which of them a form begins with. */
export const SPLITS = ['train', 'dev', 'test'] as const
export type Split = (typeof SPLITS)[number]

export const splitOr = (key: string, otherwise: Split): Split =>
  SPLITS.find((known) => known === key) ?? otherwise

/** `wanted` where it holds tasks, else the first of `order` that does; `wanted` where none does. */
export const filledSplit = (
  tasks: Readonly<Record<Split, number>>,
  wanted: Split,
  order: readonly Split[],
): Split => [wanted, ...order].find((split) => tasks[split] > 0) ?? wanted
