import { useParam } from '@/lib/use-param'

import { SPANS, type Span } from './use-agents'

/** How far back one looks, in days, as the address says. */
export function useSpan(): readonly [span: Span, set: (span: string) => void] {
  const [wanted, setWanted] = useParam('days')
  const span = SPANS.find((known) => known === wanted) ?? SPANS[0]
  return [span, (next) => setWanted(next === SPANS[0] ? null : next)]
}
