import type { ListProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { formatPercent } from '@/lib/format'

import { drawnOf } from './drawn'
import { text } from './words'

/** The size that was drawn, and how probable each was. */
export function SizePanel(_: ListProps) {
  const drawn = useRun((state) => drawnOf(state.attempt))
  if (!drawn) return null
  return (
    <section aria-label={text.title}>
      <p>{text.drawn(drawn.size)}</p>
      <ul>
        {drawn.probabilities.map((share, index) => (
          <li key={index}>{text.probability(index + 1, formatPercent(share))}</li>
        ))}
      </ul>
    </section>
  )
}
