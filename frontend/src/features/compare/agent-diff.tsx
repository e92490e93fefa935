import { X } from 'lucide-react'
import type { Ref } from 'react'

import { IconButton } from '@/components/button'
import { FamilyTile } from '@/components/run/agent-look'
import { PromptView } from '@/components/run/prompt-view'
import type { TabItem } from '@/components/tabs'
import type { OverlayNode } from '@/graph/overlay'
import type { ChatMessage } from '@/graph/run-view'
import { text } from '@/strings/compare'
import { text as runText } from '@/strings/run'

import { both, isDifferent, spentRows, textRow, type Pair } from './rows'
import { SidesTable } from './sides-table'
import { Changes, TextTabs } from './text-tabs'

interface Props {
  node: OverlayNode
  onClose: () => void
  ref: Ref<HTMLElement>
}

/** One agent on both sides: what it took, what it said, what it was told. Under the graph it fills the
 * screen, so that its beginning can be brought to the top. */
export function AgentDiff({ node, onClose, ref }: Readonly<Props>) {
  const { name, side, left, right } = node
  const agents = [left, right] as const
  const status = textRow(
    text.facts.status,
    both(agents, (agent) => agent && runText.status[agent.status]),
  )
  return (
    <section
      ref={ref}
      tabIndex={-1}
      aria-label={name}
      className="scroll-mt-4 outline-none max-lg:min-h-dvh"
    >
      <header className="flex items-center gap-2.5 px-4 py-3">
        <FamilyTile family={(left ?? right)?.family ?? null} size={30} />
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="truncate text-sm font-semibold">{name}</span>
          <span className="text-xs text-ink-3">{text.sides[side]}</span>
        </span>
        <IconButton label={text.close} onPress={onClose} icon={<X size={16} aria-hidden />} />
      </header>
      <div className="border-y border-line">
        <SidesTable
          label={text.facts.agent(name)}
          heads={[text.left, text.right]}
          rows={[...(isDifferent(status) ? [status] : []), ...spentRows(agents)]}
        />
      </div>
      <TextTabs
        label={text.said}
        texts={both(agents, (agent) => agent?.message ?? '')}
        none={text.silent}
        more={promptTab(node)}
      />
    </section>
  )
}

function promptTab({ left, right }: OverlayNode): TabItem[] {
  const [ours, theirs] = [left?.prompt ?? [], right?.prompt ?? []]
  if (ours.length === 0 && theirs.length === 0) return []
  const content =
    ours.length > 0 && theirs.length > 0 ? (
      <PromptDiff prompts={[ours, theirs]} />
    ) : (
      <PromptView messages={ours.length > 0 ? ours : theirs} />
    )
  return [{ key: 'prompt', label: text.prompt, content }]
}

type Prompt = readonly ChatMessage[]

/** What an agent was sent on each side, message by message. */
function PromptDiff({ prompts }: Readonly<{ prompts: Pair<Prompt> }>) {
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
