/** What stands on a board, each drawn in a square from 0 to 1. Shapes tell them apart; colours help. */
import type { SVGProps } from 'react'

import { cx } from '@/components/cx'

export const Wall = () => (
  <rect x={0.04} y={0.04} width={0.92} height={0.92} rx={0.1} className="fill-line-strong" />
)

const Disc = (look: SVGProps<SVGCircleElement>) => (
  <circle cx={0.5} cy={0.5} r={0.24} strokeWidth={0.06} {...look} />
)

export const Start = () => (
  <Disc strokeDasharray="0.11 0.08" className="fill-transparent stroke-ink-3" />
)

export const Goal = () => (
  <g className="fill-good stroke-good" strokeWidth={0.06} strokeLinecap="round">
    <path d="M0.34 0.2V0.84" />
    <path d="M0.34 0.2L0.76 0.36L0.34 0.52Z" strokeLinejoin="round" />
  </g>
)

export const Target = () => (
  <g className="stroke-good">
    <Disc className="fill-transparent" />
    <Disc r={0.07} strokeWidth={0} className="fill-good" />
  </g>
)

const CHECK = 'M0.36 0.52L0.46 0.62L0.65 0.4'

export function Box({ isPlaced = false }: Readonly<{ isPlaced?: boolean }>) {
  return (
    <g
      strokeWidth={0.07}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={isPlaced ? 'stroke-good' : 'stroke-warn'}
    >
      <rect
        {...{ x: 0.15, y: 0.15, width: 0.7, height: 0.7, rx: 0.08 }}
        className={isPlaced ? 'fill-good-soft' : 'fill-warn-soft'}
      />
      <path d={isPlaced ? CHECK : 'M0.3 0.3L0.7 0.7M0.7 0.3L0.3 0.7'} fill="none" />
    </g>
  )
}

export function Walker({ hasSolved = false }: Readonly<{ hasSolved?: boolean }>) {
  return (
    <g>
      <Disc r={0.3} className="fill-accent stroke-surface-1" />
      {hasSolved ? (
        <path
          d={CHECK}
          strokeWidth={0.08}
          strokeLinecap="round"
          strokeLinejoin="round"
          className="fill-transparent stroke-accent-ink"
        />
      ) : (
        <g className="fill-accent-ink">
          <circle cx={0.5} cy={0.42} r={0.085} />
          <path d="M0.34 0.66A0.16 0.13 0 0 1 0.66 0.66Z" />
        </g>
      )}
    </g>
  )
}

export const Blocked = () => (
  <path
    d="M0.34 0.34L0.66 0.66M0.66 0.34L0.34 0.66"
    strokeWidth={0.12}
    strokeLinecap="round"
    className="stroke-bad"
  />
)

type Points = readonly (readonly [x: number, y: number])[]

const joined = (points: Points): string => points.map((point) => point.join(',')).join(' ')

/** The way that was gone; `isEarlier`: in the turns before. */
export const Line = ({
  points,
  isEarlier = false,
}: Readonly<{ points: Points; isEarlier?: boolean }>) => (
  <polyline
    points={joined(points)}
    fill="none"
    strokeLinecap="round"
    strokeLinejoin="round"
    strokeWidth={isEarlier ? 0.07 : 0.12}
    className={cx('stroke-accent', isEarlier && 'opacity-50')}
  />
)

interface ProposalProps {
  points: Points
  isBlocked?: boolean
}

/** A way that was proposed. It ends with a ring, or with a cross where its next move would be blocked. */
export function Proposal({ points, isBlocked = false }: Readonly<ProposalProps>) {
  const [x, y] = points.at(-1) ?? [0, 0]
  return (
    <g strokeWidth={0.06} strokeLinejoin="round" strokeLinecap="round" className="stroke-ink-2">
      <polyline
        points={joined(points)}
        fill="none"
        strokeLinecap="butt"
        strokeDasharray="0.14 0.1"
      />
      {isBlocked ? (
        <path d="M-0.08 -0.08L0.08 0.08M0.08 -0.08L-0.08 0.08" transform={`translate(${x} ${y})`} />
      ) : (
        <circle cx={x} cy={y} r={0.09} className="fill-surface-1" />
      )}
    </g>
  )
}
