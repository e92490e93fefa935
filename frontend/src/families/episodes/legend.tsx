import type { ReactNode } from 'react'

import { CellSign } from './grid-board'
import type { CellKind } from './grids'
import type { Scene, WalkScene } from './scene'
import { Blocked, Box, Goal, Line, Proposal, Start, Target, Walker, Wall } from './signs'
import { text } from './view-words'

const { legend: words } = text
const ALONG = [
  [0, 0.5],
  [1, 0.5],
] as const
const AHEAD = [
  [0, 0.5],
  [0.8, 0.5],
] as const

/** The signs that this board has. */
export function Legend({ scene }: Readonly<{ scene: Scene }>) {
  const signs = signsOf(scene)
  if (signs.length === 0) return null
  return (
    <ul
      aria-label={words.label}
      className="flex shrink-0 flex-wrap justify-center gap-x-3 gap-y-0.5 px-3 pb-2 text-xs text-ink-2"
    >
      {signs.map(([name, sign]) => (
        <li key={name} className="flex items-center gap-1">
          <svg viewBox="-0.05 -0.05 1.1 1.1" width={18} height={18} aria-hidden>
            {sign}
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

type Sign = readonly [name: string, sign: ReactNode]

function signsOf(scene: Scene): readonly Sign[] {
  if (scene.kind === 'walk') return walkSigns(scene)
  if (scene.kind !== 'grid') return []
  const kinds = new Set(scene.cells.map(({ kind }) => kind))
  return [...kinds].filter((kind) => kind !== 'empty').map(cellSign)
}

const cellSign = (kind: CellKind): Sign => [
  text.cells[kind],
  <CellSign key={kind} cell={{ kind, text: '4' }} />,
]

function walkSigns({ worlds, earlier, proposed, blocked }: WalkScene): readonly Sign[] {
  const [{ ground, boxes }] = worlds
  const has = (kind: string): boolean => ground.some((row) => row.some((cell) => cell === kind))
  const isGone = worlds.length > 1 || earlier.length > 1
  const all: readonly (readonly [isThere: boolean, ...Sign])[] = [
    [true, words.walker, <Walker key="walker" />],
    [true, words.start, <Start key="start" />],
    [has('goal'), words.goal, <Goal key="goal" />],
    [boxes.length > 0, words.box, <Box key="box" />],
    [has('target'), words.target, <Target key="target" />],
    [has('target'), words.placed, <Box key="placed" isPlaced />],
    [has('wall'), words.wall, <Wall key="wall" />],
    [isGone, words.walked, <Line key="walked" points={ALONG} />],
    [proposed !== null, words.proposed, <Proposal key="proposed" points={AHEAD} />],
    [blocked !== null, words.blocked, <Blocked key="blocked" />],
  ]
  return all.flatMap(([isThere, name, sign]) => (isThere ? [[name, sign] as const] : []))
}
