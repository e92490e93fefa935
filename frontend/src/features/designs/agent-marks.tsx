import {
  Cpu,
  Hand,
  MessageSquareReply,
  OctagonPause,
  Thermometer,
  Wrench,
  type LucideIcon,
} from 'lucide-react'

import { cx } from '@/components/cx'

import { useDesign } from './design-store'
import { text } from '@/strings/designs'
import type { DesignAgent, DesignSpec } from './edits'
import { asksPerson, ownTools } from './roles'

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
export function AgentMarks({ agent, size }: Readonly<{ agent: DesignAgent; size: number | null }>) {
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
