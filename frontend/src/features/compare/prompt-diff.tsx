import type { ChatMessage } from '@/graph/run-view'

import { text } from '@/strings/compare'
import type { Pair } from './rows'
import { Changes } from './text-tabs'

type Prompt = readonly ChatMessage[]

/** What an agent was sent on each side, message by message. */
export function PromptDiff({ prompts }: Readonly<{ prompts: Pair<Prompt> }>) {
  const [left, right] = prompts
  const longer = left.length > right.length ? left : right
  return (
    <ol className="flex flex-col gap-3">
      {longer.map(({ role }, index) => (
        <li key={index} className="flex flex-col gap-1 text-xs">
          <span className="font-mono text-ink-3">{role}</span>
          <Changes
            texts={[left[index]?.content ?? '', right[index]?.content ?? '']}
            same={text.samePrompt}
          />
        </li>
      ))}
    </ol>
  )
}
