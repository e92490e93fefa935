import type { NodeProps } from '@xyflow/react'
import { Flag, MessageCircleQuestion } from 'lucide-react'
import { memo, type ReactNode } from 'react'

import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { shortText } from '@/graph/text'

import type { CardNode } from './flow-types'
import { FarLabel, NodeFrame, useIsFar } from './node-frame'

/** Where it starts: the question that every agent is given. */
export const QueryNode = memo(function QueryNode({ id, data }: NodeProps<CardNode>) {
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  return (
    <EndCard
      id={id}
      fresh={data.fresh}
      title={text.question}
      icon={(size) => <MessageCircleQuestion size={size} aria-hidden className="text-ink-3" />}
      body={shortText(query, 240)}
      className="border-line-strong bg-surface-2"
      bodyClass="line-clamp-4 text-ink"
    />
  )
})

/** Where it ends: the answer. */
export const AnswerNode = memo(function AnswerNode({ id, data }: NodeProps<CardNode>) {
  const answer = useRun((state) => state.attempt?.outcome?.answer ?? state.view.detail?.answer)
  return (
    <EndCard
      id={id}
      fresh={data.fresh}
      title={text.answer}
      icon={(size) => <Flag size={size} aria-hidden className="text-accent" />}
      body={answer == null ? text.noAnswer : shortText(answer, 160)}
      className="border-accent bg-accent-soft"
      bodyClass={
        answer == null
          ? 'text-ink-2'
          : answer.length > 24
            ? 'line-clamp-4 text-base font-semibold'
            : 'line-clamp-2 text-xl font-semibold'
      }
    />
  )
})

interface EndProps {
  id: string
  fresh: boolean
  title: string
  icon: (size: number) => ReactNode
  body: string
  className: string
  bodyClass: string
}

function EndCard(props: Readonly<EndProps>) {
  const { id, fresh, title, icon, body, className, bodyClass } = props
  const far = useIsFar()
  return (
    <NodeFrame id={id} fresh={fresh} label={`${title}: ${body}`} className={className}>
      {far ? (
        <FarLabel
          icon={(scale) => icon(24 * scale)}
          name={id.startsWith('answer') ? body : title}
        />
      ) : (
        <span className="flex size-full flex-col gap-1 p-2.5">
          <span className="flex items-center gap-1.5 text-xs font-semibold text-ink-2">
            {icon(14)}
            {title}
          </span>
          <span className={`min-h-0 overflow-hidden ${bodyClass}`}>{body}</span>
        </span>
      )}
    </NodeFrame>
  )
}
