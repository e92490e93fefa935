import { Select } from '@/components/select'

import { text } from '@/strings/agents'
import { SPANS } from './use-agents'
import { useSpan } from './use-span'

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
