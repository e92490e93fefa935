import { useState } from 'react'

import { Button } from '@/components/button'
import { Section } from '@/components/fact'
import { StatusIcon } from '@/components/run/agent-look'
import { useAgentNames, useAgents } from '@/components/run/use-agents'
import { tokensOf } from '@/graph/totals'
import { formatCount } from '@/lib/format'

import { lineId } from './chosen'
import type { Scripts } from './use-scripts'
import { text } from './words'

const { list: words } = text
const AT_FIRST = 40

interface Props {
  scripts: Scripts
  onSelect: (id: string | null) => void
  onAgent: (id: string) => void
}

/** Who wrote the script, its shape, and its calls in their order. */
export function CallList({ scripts, onSelect, onAgent }: Readonly<Props>) {
  const { writings, calls, last, drawing } = scripts
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? calls : calls.slice(0, AT_FIRST)
  const designers = writings.flatMap(({ designer }) => designer ?? [])
  return (
    <>
      {designers.length > 0 || last?.read?.origin === 'given' ? (
        <Section title={words.designer}>
          {designers.length === 0 ? <p className="text-ink-3">{text.script.given}</p> : null}
          <ul className="flex flex-col gap-1">
            {designers.map((id) => (
              <li key={id}>
                <AgentRow id={id} onAgent={onAgent} />
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {last?.read?.shape ? (
        <Section title={text.shape.title}>
          <code
            title={text.shape.help}
            className="rounded-md bg-surface-2 px-2 py-1 font-mono text-xs wrap-anywhere"
          >
            {last.read.shape}
          </code>
        </Section>
      ) : null}
      {drawing ? (
        <Section title={words.title}>
          {calls.length === 0 ? <p className="text-ink-3">{words.none}</p> : null}
          <ol className="flex flex-col gap-1">
            {shown.map(({ node, line, block, call }) => (
              <li key={node.id} className="flex items-center gap-2">
                <AgentRow id={node.id} number={call} onAgent={onAgent} />
                <button
                  type="button"
                  aria-label={words.showLine(line)}
                  onClick={() => onSelect(block || lineId(line))}
                  className="shrink-0 rounded-sm text-xs text-accent underline underline-offset-2"
                >
                  {text.line(line)}
                </button>
              </li>
            ))}
          </ol>
          {shown.length < calls.length ? (
            <Button variant="quiet" size="sm" onPress={() => setIsWhole(true)}>
              {words.more(calls.length - shown.length)}
            </Button>
          ) : null}
        </Section>
      ) : null}
    </>
  )
}

interface RowProps {
  id: string
  number?: number
  onAgent: (id: string) => void
}

/** Leads to an agent; shows how it stands and what it used. */
export function AgentRow({ id, number, onAgent }: Readonly<RowProps>) {
  const agent = useAgents().get(id)
  const nameOf = useAgentNames()
  const tokens = tokensOf(agent?.usage ?? null)
  return (
    <span className="flex min-w-0 flex-1 items-center gap-1.5">
      {number === undefined ? null : (
        <span className="w-5 shrink-0 text-right text-xs text-ink-3">{number}</span>
      )}
      <StatusIcon status={agent?.status ?? 'waiting'} size={13} named />
      <button
        type="button"
        aria-label={words.open(nameOf(id))}
        onClick={() => onAgent(id)}
        disabled={!agent}
        className="min-w-0 truncate rounded-sm text-left font-medium text-accent underline underline-offset-2"
      >
        {nameOf(id)}
      </button>
      {tokens === null ? null : (
        <span className="ml-auto shrink-0 text-xs text-ink-3">
          {text.tokens(formatCount(tokens))}
        </span>
      )}
    </span>
  )
}
