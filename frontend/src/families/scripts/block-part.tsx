import { X } from 'lucide-react'

import { Badge } from '@/components/badge'
import { IconButton } from '@/components/button'
import { Section } from '@/components/fact'
import { PlainText } from '@/components/plain-text'
import { useRun } from '@/components/run/run-context'
import { readableText } from '@/graph/live-text'
import type { AgentView } from '@/graph/run-view'

import { ICONS, nameOfBlock, standing } from './block-look'
import type { BlockView, CallView } from './blocks'
import { AgentRow } from './call-list'
import type { Chosen } from './chosen'
import type { Scripts } from './use-scripts'
import { text } from './words'

const { block: words } = text

interface Props {
  chosen: Chosen
  scripts: Scripts
  onClose: () => void
  onAgent: (id: string) => void
}

/** What was chosen: a block, or all that a line makes. With the messages of its calls. */
export function BlockPart({ chosen, scripts, onClose, onAgent }: Readonly<Props>) {
  const { calls, blocks, isOver } = scripts
  const others = chosen.isLine
    ? calls.filter(({ line, block }) => line === chosen.line && !blocks.has(block))
    : []
  const [only] = chosen.blocks
  return (
    <div className="flex flex-col">
      <div className="flex items-center gap-2 px-4 py-2.5">
        <h2 className="min-w-0 flex-1 truncate text-sm font-semibold">
          {chosen.isLine || !only ? text.line(chosen.line) : nameOfBlock(only)}
        </h2>
        {chosen.isLine ? null : (
          <span className="text-xs text-ink-3">{words.made(chosen.line)}</span>
        )}
        <IconButton label={words.close} onPress={onClose} icon={<X size={16} aria-hidden />} />
      </div>
      {chosen.blocks.length + others.length === 0 ? (
        <p className="px-4 pb-3 text-ink-3">{words.none}</p>
      ) : null}
      {chosen.blocks.map(({ id }) => {
        const view = blocks.get(id)
        return view ? <OneBlock key={id} {...{ view, isOver, onAgent }} /> : null
      })}
      {others.length > 0 ? (
        <Section title={text.list.title}>
          {others.map((call) => (
            <AgentRow key={call.node.id} id={call.node.id} number={call.call} onAgent={onAgent} />
          ))}
        </Section>
      ) : null}
    </div>
  )
}

interface OneProps {
  view: BlockView
  isOver: boolean
  onAgent: (id: string) => void
}

function OneBlock({ view, isOver, onAgent }: Readonly<OneProps>) {
  const { drawn, calls } = view
  const Icon = ICONS[drawn.kind]
  return (
    <Section
      title={nameOfBlock(drawn)}
      aside={<span className="text-xs text-ink-3">{standing(view, isOver)}</span>}
    >
      <p className="flex flex-wrap items-center gap-1.5 text-xs text-ink-2">
        <Icon size={14} aria-hidden className="text-ink-3" />
        {[text.kind[drawn.kind], drawn.detail].filter(Boolean).join(' · ')}
        {drawn.tools.map((tool) => (
          <Badge key={tool}>{tool}</Badge>
        ))}
      </p>
      {drawn.prompt ? (
        <div className="flex flex-col gap-0.5">
          <h4 className="text-xs text-ink-3">{words.prompt}</h4>
          <p className="wrap-anywhere whitespace-pre-wrap">{drawn.prompt}</p>
        </div>
      ) : null}
      {calls.length === 0 ? (
        <p className="text-ink-3">{isOver ? words.neverAsked : words.notYet}</p>
      ) : (
        <ol className="flex flex-col gap-2">
          {calls.map((call) => (
            <Call key={call.call.node.id} {...{ call, onAgent }} />
          ))}
        </ol>
      )}
    </Section>
  )
}

interface CallProps {
  call: CallView
  onAgent: (id: string) => void
}

function Call({ call: { call, agent }, onAgent }: Readonly<CallProps>) {
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line p-2">
      <AgentRow id={call.node.id} number={call.call} onAgent={onAgent} />
      {agent ? <Message agent={agent} /> : null}
    </li>
  )
}

/** What the agent said, or says: all of it stands in its panel. */
function Message({ agent }: Readonly<{ agent: AgentView }>) {
  const live = useRun((state) => state.attempt?.live.get(agent.id))
  const said = agent.failure?.message ?? agent.message ?? (live ? readableText(live) : '')
  return (
    <>
      <p className="line-clamp-6 text-xs wrap-anywhere whitespace-pre-wrap text-ink-2">
        {said ? (
          <PlainText text={said} />
        ) : agent.status === 'active' ? (
          words.writing
        ) : (
          words.silent
        )}
      </p>
      {agent.answer === null ? null : (
        <p className="text-xs">
          <span className="text-ink-3">{words.answer}: </span>
          <b className="font-medium wrap-anywhere">{agent.answer}</b>
        </p>
      )}
    </>
  )
}
