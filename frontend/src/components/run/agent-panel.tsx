import { X } from 'lucide-react'

import { Button, IconButton } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { ErrorPanel } from '@/components/error-panel'
import { Fact, Section } from '@/components/fact'
import { MessageForm, MessageText } from '@/components/message-text'
import { PlainText } from '@/components/plain-text'
import type { FailedTry } from '@/graph/frames'
import { readableText } from '@/graph/live-text'
import type { AgentView } from '@/graph/run-view'
import { familyOf } from '@/lib/families'
import { formatCost, formatCount, formatSeconds, UNKNOWN } from '@/lib/format'

import { FamilyTile, StatusIcon } from './agent-look'
import type { FamilyTab } from './family-views'
import { PromptView } from './prompt-view'
import { useRun } from './run-context'
import { text } from '@/strings/run'

import { ToolCallList } from './tool-call-list'
import { EditMessage } from './edit-message'
import { Thoughts } from './thoughts'
import { useAgentNames, useAgents, useSilence } from './use-agents'

export interface Props {
  id: string
  onSelect: (id: string | null) => void
  /** Opens something in a family's tab, where the page has these tabs. */
  onOwn?: (tab: FamilyTab, id: string) => void
  /** In a sheet the sheet has the heading and the closing button. */
  bare?: boolean
}

export function AgentPanel({ id, onSelect, onOwn, bare = false }: Readonly<Props>) {
  const agent = useAgents().get(id)
  const nameOf = useAgentNames()
  const readers = useReaders(id)
  const families = useRun((state) => state.families)
  if (!agent) return null
  return (
    <div className="flex flex-col">
      <PanelHead agent={agent} name={nameOf(id)} bare={bare} onClose={() => onSelect(null)} />
      <Notes agent={agent} />
      <FailedTries tries={agent.failedTries} retries={agent.retries ?? 0} />
      {families.map(({ key, tab, Asked }) =>
        Asked ? (
          <Asked
            key={key}
            agent={agent}
            {...(tab && onOwn ? { onOpen: (chosen: string) => onOwn(tab, chosen) } : {})}
          />
        ) : null,
      )}
      <MessageSection agent={agent} />
      <Thoughts thoughts={agent.thoughts} />
      <EditMessage key={id} agent={agent} name={nameOf(id)} />
      {agent.tools.length > 0 ? (
        <Section title={text.agent.tools}>
          <ToolCallList calls={agent.tools} />
        </Section>
      ) : null}
      <Section title={text.agent.reads}>
        <Names ids={agent.reads} nameOf={nameOf} none={text.agent.readsQuery} onSelect={onSelect} />
      </Section>
      <Section title={text.agent.readBy}>
        <Names ids={readers} nameOf={nameOf} none={text.agent.readByNone} onSelect={onSelect} />
      </Section>
      <WhySection agent={agent} />
      {agent.prompt.length > 0 ? (
        <Section title={text.agent.prompt}>
          <PromptView messages={agent.prompt} />
        </Section>
      ) : null}
    </div>
  )
}

interface HeadProps {
  agent: AgentView
  name: string
  bare: boolean
  onClose: () => void
}

function PanelHead({ agent, name, bare, onClose }: Readonly<HeadProps>) {
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <div className="flex items-center gap-2.5">
        <FamilyTile family={agent.family} size={30} />
        <div className="flex min-w-0 flex-1 flex-col">
          {bare ? null : <h2 className="truncate text-sm font-semibold">{name}</h2>}
          <span className="text-xs text-ink-3">{familyOf(agent.family).label}</span>
        </div>
        <span className="flex items-center gap-1 text-xs font-medium">
          <StatusIcon status={agent.status} />
          {text.status[agent.status]}
          {agent.status === 'removed' ? ` (${text.status[agent.outcome]})` : ''}
        </span>
        {bare ? null : (
          <IconButton
            label={text.agent.close}
            onPress={onClose}
            icon={<X size={16} aria-hidden />}
          />
        )}
      </div>
      <AgentFacts agent={agent} />
    </div>
  )
}

function AgentFacts({ agent }: Readonly<{ agent: AgentView }>) {
  const { facts, yes, no } = text.agent
  return (
    <dl className="grid grid-cols-4 gap-x-3 gap-y-2">
      <Fact name={facts.prompt}>{formatCount(agent.usage?.promptTokens)}</Fact>
      <Fact name={facts.completion}>{formatCount(agent.usage?.completionTokens)}</Fact>
      <Fact name={facts.time}>{formatSeconds(agent.seconds)}</Fact>
      <Fact name={facts.cost}>{formatCost(agent.usage?.cost)}</Fact>
      <Fact name={facts.calls}>{formatCount(agent.calls)}</Fact>
      <Fact name={facts.retries}>{formatCount(agent.retries)}</Fact>
      <Fact name={facts.cache}>{agent.cached === null ? UNKNOWN : agent.cached ? yes : no}</Fact>
      <Fact name={facts.endpoint} title={agent.endpoint ?? ''}>
        {agent.endpoint ?? UNKNOWN}
      </Fact>
    </dl>
  )
}

function FailedTries({
  tries,
  retries,
}: Readonly<{ tries: readonly FailedTry[]; retries: number }>) {
  if (tries.length === 0) return null
  const { facts, triedAgain, triedMore } = text.agent
  return (
    <Section title={facts.retries} aside={<span className="text-xs text-ink-3">{triedAgain}</span>}>
      <ol className="flex flex-col gap-1 text-xs">
        {tries.map((each, index) => (
          <li key={index} className="flex flex-wrap gap-x-2">
            <code className="font-medium text-warn">{each.code}</code>
            <span className="text-ink-2">{each.message}</span>
          </li>
        ))}
        {retries > tries.length ? (
          <li className="text-ink-3">{triedMore(retries - tries.length)}</li>
        ) : null}
      </ol>
    </Section>
  )
}

function Notes({ agent }: Readonly<{ agent: AgentView }>) {
  const notes = [
    agent.given ? text.agent.given[agent.given] : null,
    agent.outcome === 'refused' ? text.agent.refused : null,
    agent.outcome === 'reused' ? text.agent.reused : null,
    agent.truncated
      ? text.agent.truncated(
          agent.tokenLimit === null ? null : formatCount(agent.tokenLimit),
          agent.limitedBy,
        )
      : null,
    earlierCuts(agent) > 0 ? text.agent.cutBefore(earlierCuts(agent)) : null,
    agent.ownTemperature ? text.agent.ownTemperature : null,
  ].filter((note) => note !== null)
  return (
    <>
      {agent.failure ? (
        <div className="px-4 pb-3">
          <ErrorPanel problem={agent.failure} />
        </div>
      ) : null}
      {notes.map((note) => (
        <p key={note} className="mx-4 mb-3 rounded-md bg-warn-soft px-3 py-2 text-xs text-warn">
          {note}
        </p>
      ))}
    </>
  )
}

/** Replies of its tool loop that were cut, beside the message itself. */
const earlierCuts = ({ cutCalls, truncated }: AgentView): number =>
  (cutCalls ?? 0) - (truncated ? 1 : 0)

function MessageSection({ agent }: Readonly<{ agent: AgentView }>) {
  const live = useRun((state) => state.attempt?.live.get(agent.id))
  const message = agent.message ?? (live ? readableText(live) : '')
  const isWriting = agent.status === 'active'
  const silence = useSilence()
  if (!message && !isWriting) return null
  return (
    <Section
      title={isWriting ? text.agent.writing : text.agent.message}
      aside={
        <span className="flex items-center gap-1">
          {message && !isWriting ? <MessageForm /> : null}
          {message ? <CopyButton text={message} name={text.agent.copyMessage} /> : null}
        </span>
      }
    >
      {isWriting ? (
        <p className="whitespace-pre-wrap">
          <PlainText text={message || silence} />
        </p>
      ) : (
        <MessageText text={message} />
      )}
      {agent.answer === null ? null : (
        <div className="flex flex-col gap-0.5 text-xs">
          <span className="text-ink-3">{text.agent.answer}</span>
          <p className="max-h-40 self-start overflow-auto rounded-sm bg-accent-soft px-1.5 py-0.5 font-medium wrap-anywhere whitespace-pre-wrap text-accent">
            {agent.answer}
          </p>
        </div>
      )}
    </Section>
  )
}

interface NamesProps {
  ids: readonly string[]
  nameOf: (id: string) => string
  none: string
  onSelect: (id: string) => void
}

function Names({ ids, nameOf, none, onSelect }: Readonly<NamesProps>) {
  if (ids.length === 0) return <p className="text-ink-3">{none}</p>
  return (
    <ul className="flex flex-wrap gap-1.5">
      {ids.map((id) => (
        <li key={id}>
          <Button size="sm" onPress={() => onSelect(id)}>
            {nameOf(id)}
          </Button>
        </li>
      ))}
    </ul>
  )
}

function WhySection({ agent }: Readonly<{ agent: AgentView }>) {
  const family = useRun(
    ({ attempt, families }) =>
      attempt && families.find(({ why }) => why?.isKnown(attempt, agent.id)),
  )
  return (
    <Section title={text.agent.why}>
      {family?.why ? (
        <family.why.Why agent={agent} />
      ) : (
        <p className="text-ink-3">
          {agent.summary ? text.agent.whySummary : text.agent.whyPlanned}
        </p>
      )}
    </Section>
  )
}

function useReaders(id: string): string[] {
  const edges = useRun((state) => state.attempt?.edges)
  return (edges ?? []).filter((edge) => edge.source === id && !edge.back).map((edge) => edge.target)
}
