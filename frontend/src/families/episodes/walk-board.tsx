import type { ReactNode } from 'react'

import { cx } from '@/components/cx'

import type { WalkScene } from './scene'
import { Blocked, Box, Goal, Line, Proposal, Start, Target, Walker, Wall } from './signs'
import { isSame, isSolved, placesOf, type Ground, type Place, type World } from './worlds'
import { text } from './view-words'

/** Pixels of a cell, where there is room. */
const LARGEST_CELL = 92

interface Props {
  scene: WalkScene
  /** How many of the turn's moves are made. */
  frame: number
  /** With another turn, signs jump to their places. */
  turn: number
}

export function WalkBoard({ scene, frame, turn }: Readonly<Props>) {
  const { worlds, start, earlier, proposed, blocked } = scene
  const world = worlds[frame] ?? worlds[0]
  const { ground, walker, boxes } = world
  const [rows, columns] = [ground.length, ground[0]?.length ?? 0]
  const gone = worlds.slice(0, frame + 1).map((each) => each.walker)
  const isOnGoal = ground[walker.row]?.[walker.column] === 'goal'
  const hasEnded = frame >= worlds.length - 1
  return (
    <BoardFrame rows={rows} columns={columns} label={labelOf(world)}>
      <path
        d={cells(ground, (cell) => cell !== 'nothing')}
        strokeWidth={0.03}
        className="fill-surface-0 stroke-line"
      />
      <Signs ground={ground} of="wall" Sign={Wall} />
      <Signs ground={ground} of="target" Sign={Target} />
      <At place={start}>
        <Start />
      </At>
      {isOnGoal ? null : <Signs ground={ground} of="goal" Sign={Goal} />}
      <Line points={earlier.map(middle)} isEarlier />
      <Line points={gone.map(middle)} />
      <g key={turn}>
        {boxes.map((box, index) => (
          <At key={index} place={box} moves>
            <Box isPlaced={ground[box.row]?.[box.column] === 'target'} />
          </At>
        ))}
        <At place={walker} moves>
          <Walker hasSolved={isSolved(world)} />
        </At>
      </g>
      {proposed ? (
        // Moved a little, so that both ways are seen where they are equal.
        <g transform="translate(0.17 -0.17)">
          <Proposal points={placesOf(proposed).map(middle)} isBlocked={proposed.blocked !== null} />
        </g>
      ) : null}
      {blocked && hasEnded ? <Hit from={walker} to={blocked} /> : null}
    </BoardFrame>
  )
}

interface FrameProps {
  rows: number
  columns: number
  label: string
  children: ReactNode
}

/** As large as there is room, each cell a unit. */
export function BoardFrame({ rows, columns, label, children }: Readonly<FrameProps>) {
  const edge = 0.05
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={[-edge, -edge, columns + 2 * edge, rows + 2 * edge].join(' ')}
      className="size-full"
      style={{ maxWidth: columns * LARGEST_CELL, maxHeight: rows * LARGEST_CELL }}
    >
      {children}
    </svg>
  )
}

const middle = ({ row, column }: Place): readonly [x: number, y: number] => [
  column + 0.5,
  row + 0.5,
]

/** The squares of some cells as one path: a board may have thousands. */
const cells = (ground: World['ground'], isMeant: (cell: Ground) => boolean): string =>
  ground
    .flatMap((line, row) =>
      line.flatMap((cell, column) => (isMeant(cell) ? [`M${column} ${row}h1v1h-1z`] : [])),
    )
    .join('')

interface SignsProps {
  ground: World['ground']
  of: Ground
  Sign: () => ReactNode
}

function Signs({ ground, of, Sign }: Readonly<SignsProps>) {
  return ground.flatMap((line, row) =>
    line.flatMap((cell, column) =>
      cell === of
        ? [
            <At key={`${row} ${column}`} place={{ row, column }}>
              <Sign />
            </At>,
          ]
        : [],
    ),
  )
}

interface AtProps {
  place: Place
  moves?: boolean
  children: ReactNode
}

function At({ place: { row, column }, moves = false, children }: Readonly<AtProps>) {
  return (
    <g
      className={cx(moves && 'transition-transform duration-200 ease-out')}
      style={{ transform: `translate(${column}px, ${row}px)` }}
    >
      {children}
    </g>
  )
}

/** At the edge that could not be crossed. */
function Hit({ from, to }: Readonly<{ from: Place; to: Place }>) {
  const between = { row: (from.row + to.row) / 2, column: (from.column + to.column) / 2 }
  return (
    <At place={between}>
      <Blocked />
    </At>
  )
}

function labelOf({ ground, walker, boxes }: World): string {
  const places = ground.flatMap((line, row) => line.map((cell, column) => ({ cell, row, column })))
  const goal = places.find(({ cell }) => cell === 'goal')
  const placed = boxes.filter((box) =>
    places.some((place) => place.cell === 'target' && isSame(place, box)),
  )
  return [
    text.walk(ground.length, ground[0]?.length ?? 0),
    text.walker(walker.row + 1, walker.column + 1),
    ...(goal ? [text.goal(goal.row + 1, goal.column + 1)] : []),
    ...(boxes.length > 0 ? [text.boxes(placed.length, boxes.length)] : []),
  ].join('. ')
}
