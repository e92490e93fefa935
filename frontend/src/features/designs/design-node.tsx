import { Handle, Position, useStore, type NodeProps } from '@xyflow/react'
import {
  Cpu,
  Hand,
  MessageSquareReply,
  OctagonPause,
  Thermometer,
  TriangleAlert,
  Wrench,
  type LucideIcon,
} from 'lucide-react'
import { memo } from 'react'
import { Button } from 'react-aria-components'

import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { Tooltip } from '@/components/tooltip'
import { shortText } from '@/graph/text'
import { familyOf } from '@/lib/families'
import { usePreferences } from '@/lib/preferences'
import { text } from '@/strings/designs'

import type { Problems } from './checker'
import type { AgentNodeType } from './design-nodes'
import { useDesign, useDesignStore } from './design-store'
import type { DesignAgent, DesignSpec } from './edits'
import { asksPerson, ownTools } from './roles'
import { PROPERTIES } from './side-panels'
import { useProblemsOf } from './use-problems'
import { FAR_ZOOM, farNameSize } from './views'

const PROMPT_CHARS = 120

/** An agent as it is drawn: its name, what it is told, its tools, and what is wrong with it. */
export const DesignNode = memo(function DesignNode({ data, selected }: NodeProps<AgentNodeType>) {
  const { agent } = data
  const { role } = agent
  const found = useProblemsOf(agent.id)
  const far = useStore(({ transform }) =>
    transform[2] < FAR_ZOOM ? farNameSize(transform[2]) : null,
  )
  const isError = found.some(({ severity }) => severity === 'error')
  const name = role.name.trim() || text.canvas.unnamed
  return (
    <>
      <Handle type="target" position={Position.Left} className="design-handle" />
      <div
        className={cx(
          'node-card flex size-full flex-col overflow-hidden rounded-lg border bg-surface-1 text-left',
          selected ? 'border-accent ring-2 ring-accent' : 'border-line-strong/40',
          !selected && isError && 'border-bad',
        )}
      >
        <span
          aria-hidden
          className="h-[3px] w-full shrink-0"
          style={{ backgroundColor: familyOf(role.family).color }}
        />
        {far === null ? (
          <>
            <span className="flex items-center gap-2 px-2.5 pt-2">
              <FamilyTile family={role.family} size={22} />
              <span className="min-w-0 flex-1 truncate text-sm font-semibold">{name}</span>
              <ProblemMark id={agent.id} problems={found} size={15} />
            </span>
            <span className="min-h-0 flex-1 px-2.5 pt-1.5 text-xs text-ink-2">
              <span className="line-clamp-3">
                {shortText(role.prompt, PROMPT_CHARS) || text.canvas.noPrompt}
              </span>
            </span>
            <AgentMarks agent={agent} size={null} />
          </>
        ) : (
          <span className="flex size-full flex-col items-center justify-center gap-1.5 px-2 text-center leading-[1.12] font-semibold">
            <span className="flex max-w-full items-center gap-2">
              <span className="line-clamp-2 min-w-0" style={{ fontSize: far }}>
                {name}
              </span>
              <ProblemMark id={agent.id} problems={found} size={far} />
            </span>
            <AgentMarks agent={agent} size={Math.round(far * 0.8)} />
          </span>
        )}
      </div>
      <Handle type="source" position={Position.Right} className="design-handle" />
    </>
  )
})

interface Props {
  id: string
  problems: Problems
  size: number
}

/** The triangle on a card: what is wrong, for a pointer that rests, the keyboard and screen readers; a
 * press leads to the ways out. */
function ProblemMark({ id, problems, size }: Readonly<Props>) {
  const { select } = useDesignStore().getState()
  const { setHidden } = usePreferences.getState()
  if (problems.length === 0) return null
  const isError = problems.some(({ severity }) => severity === 'error')
  const messages = problems.map(({ message }) => message)
  return (
    <Tooltip
      content={
        <ul className="flex flex-col gap-1">
          {messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      }
    >
      <Button
        aria-label={text.canvas.problems(messages)}
        className={cx(
          'nodrag shrink-0 cursor-pointer rounded-sm',
          isError ? 'text-bad' : 'text-warn',
        )}
        onPress={() => {
          select({ agents: new Set([id]) })
          setHidden(PROPERTIES, false)
        }}
      >
        <TriangleAlert size={size} aria-hidden />
      </Button>
    </Tooltip>
  )
}

interface Mark {
  readonly key: string
  readonly icon: LucideIcon
  readonly label: string
  /** What stands beside the icon on a card close by; null: the icon alone. */
  readonly short: string | null
  readonly className?: string
}

/** What an agent has to do with the answer. */
function partInAnswer({ answer_from: answering, vote }: DesignSpec, id: string): string | null {
  if (vote.includes(id)) return text.canvas.votes
  return answering === id ? text.canvas.answers : null
}

function useMarks(agent: DesignAgent): Mark[] {
  const answers = useDesign(({ history }) => partInAnswer(history.present.spec, agent.id))
  const stops = useDesign((state) => state.breakpoints.has(agent.id))
  const tools = ownTools(agent.role).join(', ')
  const { canvas } = text
  const marks: (Mark | false)[] = [
    stops && {
      key: 'stops',
      icon: OctagonPause,
      label: canvas.stops,
      short: null,
      className: 'text-warn',
    },
    answers !== null && {
      key: 'answers',
      icon: MessageSquareReply,
      label: answers,
      short: answers,
      className: 'font-medium text-accent',
    },
    asksPerson(agent.role) && {
      key: 'person',
      icon: Hand,
      label: canvas.asks,
      short: canvas.asks,
    },
    tools !== '' && { key: 'tools', icon: Wrench, label: canvas.tools(tools), short: tools },
    agent.endpoint !== null && {
      key: 'endpoint',
      icon: Cpu,
      label: canvas.endpoint(agent.endpoint),
      short: agent.endpoint,
    },
    agent.temperature > 0 && {
      key: 'temperature',
      icon: Thermometer,
      label: canvas.temperature(agent.temperature),
      short: String(agent.temperature),
    },
  ]
  return marks.filter((mark) => mark !== false)
}

/** Whether it answers, asks a person, stops a run, and what it uses. From far away as icons alone, `size` pixels high. */
function AgentMarks({ agent, size }: Readonly<{ agent: DesignAgent; size: number | null }>) {
  const marks = useMarks(agent)
  if (size !== null)
    return (
      <span className="flex items-center justify-center gap-2 text-ink-3">
        {marks.map(({ key, icon: Icon, label, className }) => (
          <Icon
            key={key}
            size={size}
            role="img"
            aria-label={label}
            className={cx('shrink-0', className)}
          />
        ))}
      </span>
    )
  return (
    <span className="flex h-7 items-center gap-3 px-2.5 text-xs text-ink-3">
      {marks.map(({ key, icon: Icon, label, short, className }) => (
        <span key={key} title={label} className={cx('flex min-w-0 items-center gap-1', className)}>
          <Icon
            size={short === null ? 15 : 12}
            className="shrink-0"
            {...(short === null ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
          />
          {short === null ? null : <span className="truncate">{short}</span>}
        </span>
      ))}
    </span>
  )
}
