import { Check, Minus } from 'lucide-react'

import { cx } from '@/components/cx'
import type { EdgeCandidateView } from '@/graph/run-view'
import { formatProbability } from '@/lib/format'

import { usePolicy } from './policy'
import { text } from '@/strings/run'

interface Props {
  edges: readonly EdgeCandidateView[]
  nameOf: (id: string) => string
}

/** Each earlier agent with the probability that the new one reads it; the line is the threshold. */
export function EdgeList({ edges, nameOf }: Readonly<Props>) {
  const { edgeThreshold, edgesAreDrawn } = usePolicy()
  const note = edgesAreDrawn
    ? text.build.drawn
    : edgeThreshold === null
      ? null
      : text.build.threshold(formatProbability(edgeThreshold))
  return (
    <div className="flex flex-col gap-1.5">
      <p className="flex justify-between gap-2 text-xs text-ink-3">
        <span>{text.build.edges}</span>
        {note ? <span>{note}</span> : null}
      </p>
      <ul className="flex flex-col gap-1.5">
        {edges.map((edge) => (
          <EdgeBar key={edge.source} edge={edge} name={nameOf(edge.source)} mark={edgeThreshold} />
        ))}
      </ul>
    </div>
  )
}

interface BarProps {
  edge: EdgeCandidateView
  name: string
  mark: number | null
}

function EdgeBar({ edge, name, mark }: Readonly<BarProps>) {
  const Icon = edge.chosen ? Check : Minus
  return (
    <li className="grid grid-cols-[14px_minmax(0,1fr)_64px_44px] items-center gap-2 text-xs">
      <Icon
        size={12}
        role="img"
        aria-label={edge.chosen ? text.build.read : text.build.notRead}
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
