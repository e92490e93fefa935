import { useMethodName } from '@/lib/api/queries'

import type { Evaluation } from './use-evaluations'

/** An arm without a label of its own is called by its method's name: “Chain of thought”. */
export function useArmName({ arms }: Pick<Evaluation, 'arms'>): (label: string) => string {
  const methodName = useMethodName()
  const methods = new Set(arms.map(({ method }) => method))
  return (label) => (methods.has(label) ? methodName(label) : label)
}
