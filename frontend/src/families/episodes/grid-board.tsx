import { cx } from '@/components/cx'

import type { CellKind, CellView } from './grids'
import { text } from './view-words'
import { BoardFrame } from './walk-board'

const FILL: Readonly<Record<CellKind, string>> = {
  empty: 'fill-surface-1',
  given: 'fill-surface-2',
  filled: 'fill-accent-soft',
  right: 'fill-good-soft',
  wrong: 'fill-bad-soft',
  proposed: 'fill-surface-1',
  refused: 'fill-bad-soft',
}

const INK: Readonly<Record<CellKind, string>> = {
  empty: '',
  given: 'fill-ink font-semibold',
  filled: 'fill-accent',
  right: 'fill-good',
  wrong: 'fill-bad',
  proposed: 'fill-ink-3 italic',
  refused: 'fill-bad line-through',
}

export function GridBoard({ cells }: Readonly<{ cells: readonly CellView[] }>) {
  const size = Math.sqrt(cells.length)
  const box = Math.sqrt(size)
  const lines = Array.from({ length: box + 1 }, (_, index) => index * box)
  return (
    <BoardFrame rows={size} columns={size} label={labelOf(cells, size)}>
      {cells.map((cell, at) => (
        <g key={at} transform={`translate(${at % size} ${Math.floor(at / size)})`}>
          <CellSign cell={cell} />
        </g>
      ))}
      <path
        d={lines.map((at) => `M${at} 0V${size}M0 ${at}H${size}`).join('')}
        strokeWidth={0.05}
        strokeLinecap="square"
        className="stroke-ink-3"
      />
    </BoardFrame>
  )
}

/** A number with its sign: a tick or a cross for right or wrong, a dashed edge for a proposal. */
export function CellSign({ cell: { kind, text: number } }: Readonly<{ cell: CellView }>) {
  return (
    <>
      <rect width={1} height={1} strokeWidth={0.02} className={cx(FILL[kind], 'stroke-line')} />
      {kind === 'proposed' ? (
        <rect
          {...{ x: 0.1, y: 0.1, width: 0.8, height: 0.8, rx: 0.08 }}
          strokeWidth={0.03}
          strokeDasharray="0.08 0.08"
          className="fill-transparent stroke-ink-3"
        />
      ) : null}
      <text
        x={0.5}
        y={0.54}
        fontSize={0.5}
        textAnchor="middle"
        dominantBaseline="central"
        className={INK[kind]}
      >
        {number}
      </text>
      {kind === 'right' ? <Mark d="M0.74 0.17L0.8 0.23L0.91 0.11" className="stroke-good" /> : null}
      {kind === 'wrong' || kind === 'refused' ? (
        <Mark d="M0.76 0.1L0.9 0.24M0.9 0.1L0.76 0.24" className="stroke-bad" />
      ) : null}
    </>
  )
}

const Mark = ({ d, className }: Readonly<{ d: string; className: string }>) => (
  <path
    d={d}
    strokeWidth={0.05}
    strokeLinecap="round"
    strokeLinejoin="round"
    className={cx('fill-transparent', className)}
  />
)

/** "Row 1: 4 given, empty, …" */
const labelOf = (cells: readonly CellView[], size: number): string =>
  Array.from({ length: size }, (_, row) =>
    text.gridRow(
      row + 1,
      cells
        .slice(row * size, (row + 1) * size)
        .map(({ kind, text: number }) => `${number} ${text.cells[kind]}`.trim())
        .join(', '),
    ),
  ).join('. ')
