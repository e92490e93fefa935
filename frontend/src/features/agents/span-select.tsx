import { Select } from '@/components/select'
import { useParam } from '@/lib/use-param'
import { text } from '@/strings/agents'

import { SPANS, type Span } from './use-agents'

const options = [...SPANS]
  .sort((left, right) => Number(left) - Number(right))
  .map((key) => ({ key, label: text.spans[key] }))

export function SpanSelect() {
  const [span, setSpan] = useSpan()
  return (
    <Select
      label={text.span}
      labelHidden
      className="sm:w-40"
      options={options}
      value={span}
      onChange={setSpan}
    />
  )
}

/** How far back one looks, in days, as the address says. */
export function useSpan(): readonly [span: Span, set: (span: string) => void] {
  const [wanted, setWanted] = useParam('days')
  const span = SPANS.find((known) => known === wanted) ?? SPANS[0]
  return [span, (next) => setWanted(next === SPANS[0] ? null : next)]
}
