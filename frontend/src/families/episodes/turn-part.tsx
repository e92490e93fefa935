import { MessageText } from '@/components/message-text'
import { PlainText } from '@/components/plain-text'
import { FamilyTile, StatusIcon } from '@/components/run/agent-look'
import { useRun } from '@/components/run/run-context'
import { useAgentNames, useAgents, useSilence } from '@/components/run/use-agents'
import { ScrollRegion } from '@/components/scroll-region'
import { readableText } from '@/graph/live-text'
import type { AgentView } from '@/graph/run-view'

import { takesProposals, type Picture, type TurnPart } from './episode'
import { Read } from './read'
import { Rewards } from './rewards'
import { text } from './view-words'

interface Props {
  part: TurnPart
  before: Picture
  onAgent: (id: string) => void
}

/** An agent's message, what was read of it, what that did, and what it earned. */
export function TurnPartView({ part, before, onAgent }: Readonly<Props>) {
  const { agentId, move, commits } = part
  const agent = useAgents().get(agentId)
  const nameOf = useAgentNames()
  const name = agent?.roleName ?? nameOf(agentId)
  return (
    <div className="flex flex-col gap-2 px-4 pb-3 pl-10">
      <div className="flex items-center gap-2">
        <FamilyTile family={agent?.family ?? null} size={20} />
        <button
          type="button"
          aria-label={text.open(nameOf(agentId))}
          onClick={() => onAgent(agentId)}
          className="min-w-0 truncate rounded-sm font-medium text-accent hover:underline"
        >
          {name}
        </button>
        {takesProposals(before) ? (
          <span className="text-xs text-ink-3">{commits ? text.commits : text.proposes}</span>
        ) : null}
        {agent ? (
          <span className="ml-auto">
            <StatusIcon status={agent.status} named />
          </span>
        ) : null}
      </div>
      {agent ? <Message agent={agent} name={name} /> : null}
      {move ? (
        <>
          <Read move={move} before={before} commits={commits} />
          <Rewards move={move} />
        </>
      ) : null}
    </div>
  )
}

function Message({ agent, name }: Readonly<{ agent: AgentView; name: string }>) {
  const live = useRun((state) => state.attempt?.live.get(agent.id))
  const silence = useSilence()
  const message = agent.message ?? (live ? readableText(live) : '')
  const isWriting = agent.status === 'active'
  if (message === '') {
    const why = isWriting ? silence : agent.message === null ? '' : text.silent
    return why === '' ? null : <p className="text-ink-3">{why}</p>
  }
  return (
    <ScrollRegion
      label={text.message(name)}
      className="max-h-72 overflow-auto rounded-md bg-surface-2 px-2.5 py-2"
    >
      {isWriting ? (
        <p className="whitespace-pre-wrap">
          <PlainText text={message} />
        </p>
      ) : (
        <MessageText text={message} />
      )}
    </ScrollRegion>
  )
}
