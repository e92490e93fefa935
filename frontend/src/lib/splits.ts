/** The parts of a dataset, and which of them a form begins with. */
export const SPLITS = ['train', 'dev', 'test'] as const
export type Split = (typeof SPLITS)[number]

export const splitOr = (key: string, otherwise: Split): Split =>
  SPLITS.find((known) => known === key) ?? otherwise

export interface Splits {
  readonly key: string
  readonly splits: Readonly<Record<Split, number>>
}

/** What a form takes of a dataset: the split that was chosen, unless this dataset holds nothing in it;
 * then the first of `order` that it fills. */
export const onDatasetBy =
  (order: readonly Split[]) =>
  ({ key, splits }: Splits, chosen: Split): { dataset: string; split: Split } => ({
    dataset: key,
    split: [chosen, ...order].find((split) => splits[split] > 0) ?? chosen,
  })
