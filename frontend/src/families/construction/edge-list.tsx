import { Check, Minus } from 'lucide-react'

import { cx } from '@/components/cx'
import { formatProbability } from '@/lib/format'

import { usePolicy } from './policy'
import type { EdgeCandidateView, StepView } from './steps'
import { text } from './words'

interface Props {
  edges: readonly EdgeCandidateView[]
  nameOf: (id: string) => string
  /** Edges to agents that the new one sends its message back to. */
  back?: boolean
}

/** The edges of the step: whom the new agent reads, and where it may, whom it sends back to. */
export function StepEdges({ step, nameOf }: Readonly<{ step: StepView; nameOf: Props['nameOf'] }>) {
  return (
    <>
      {step.edges.length > 0 ? <EdgeList edges={step.edges} nameOf={nameOf} /> : null}
      {step.back.length > 0 ? <EdgeList edges={step.back} nameOf={nameOf} back /> : null}
    </>
  )
}

/** Each earlier agent with the probability that the new one reads it; the line is the threshold. */
function EdgeList({ edges, nameOf, back = false }: Readonly<Props>) {
  const { edgeThreshold, edgesAreDrawn } = usePolicy()
  const words = back ? text.backEdges : text.readEdges
  const note = edgesAreDrawn
    ? text.drawn
    : edgeThreshold === null
      ? null
      : words.threshold(formatProbability(edgeThreshold))
  return (
    <div className="flex flex-col gap-1.5">
      <p className="flex justify-between gap-2 text-xs text-ink-3">
        <span>{words.title}</span>
        {note ? <span>{note}</span> : null}
      </p>
      <ul className="flex flex-col gap-1.5">
        {edges.map((edge) => (
          <EdgeBar
            key={edge.source}
            edge={edge}
            name={nameOf(edge.source)}
            mark={edgeThreshold}
            label={edge.chosen ? words.chosen : words.notChosen}
          />
        ))}
      </ul>
    </div>
  )
}

interface BarProps {
  edge: EdgeCandidateView
  name: string
  mark: number | null
  label: string
}

function EdgeBar({ edge, name, mark, label }: Readonly<BarProps>) {
  const Icon = edge.chosen ? Check : Minus
  return (
    <li className="grid grid-cols-[14px_minmax(0,1fr)_64px_44px] items-center gap-2 text-xs">
      <Icon
        size={12}
        role="img"
        aria-label={label}
        className={edge.chosen ? 'text-accent' : 'text-ink-3'}
      />
      <span className={cx('truncate', edge.chosen ? 'font-semibold' : 'text-ink-2')}>{name}</span>
      <span aria-hidden className="relative h-1 rounded-full bg-surface-3">
        <span
          className="absolute inset-y-0 left-0 rounded-full"
          style={{
            width: `${edge.probability * 100}%`,
            backgroundColor: edge.chosen ? 'var(--accent)' : 'var(--line-strong)',
          }}
        />
        {mark === null ? null : (
          <span className="absolute -inset-y-1 w-px bg-ink" style={{ left: `${mark * 100}%` }} />
        )}
      </span>
      <span className="text-right text-ink-2">{formatProbability(edge.probability)}</span>
    </li>
  )
}
