import type { Split } from '@/lib/splits'

/** The form of an evaluation on these tasks. */
export const evaluationOf = (dataset: string, split: Split): string =>
  `/evaluations/new?${new URLSearchParams({ dataset, split }).toString()}`
