import { X } from 'lucide-react'
import type { Ref } from 'react'

import { Button } from '@/components/button'
import { FamilyTile } from '@/components/run/agent-look'
import { PromptView } from '@/components/run/prompt-view'
import { text as runText } from '@/strings/run'
import type { TabItem } from '@/components/tabs'
import type { OverlayNode } from '@/graph/overlay'

import { text } from '@/strings/compare'
import { PromptDiff } from './prompt-diff'
import { both, isDifferent, spentRows, textRow } from './rows'
import { SidesTable } from './sides-table'
import { TextTabs } from './text-tabs'

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
        <Button
          variant="quiet"
          size="sm"
          aria-label={text.close}
          onPress={onClose}
          icon={<X size={16} aria-hidden />}
        />
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
