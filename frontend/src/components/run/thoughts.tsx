import { Disclosure } from '@/components/disclosure'
import { text } from '@/strings/run'

/** What a model wrote for nobody, folded away: no agent read it, and no answer was read from it. */
export function Thoughts({ thoughts }: Readonly<{ thoughts: string }>) {
  if (!thoughts) return null
  const { title, hint } = text.agent.thoughts
  return (
    <Disclosure title={title} hint={hint} className="px-4">
      <p className="max-h-96 overflow-auto whitespace-pre-wrap text-xs text-ink-2">{thoughts}</p>
    </Disclosure>
  )
}
