/** Boards that somebody walks on (Plan-Path, Sokoban), as of `workers/core/benchmarks/games`. */
import type { Picture } from './episode'

export interface Place {
  readonly row: number
  readonly column: number
}

export type Ground = 'wall' | 'floor' | 'goal' | 'target' | 'nothing'

export interface World {
  /** Equally long rows; `nothing` where the text has less. */
  readonly ground: readonly (readonly Ground[])[]
  readonly walker: Place
  /** Each keeps its place in the list while it is pushed. */
  readonly boxes: readonly Place[]
}

export type Move = 'up' | 'down' | 'left' | 'right'

/** A larger board is shown as its text. */
const MOST_ROWS = 60

const MARKS: Readonly<Record<string, Readonly<Record<string, readonly [Ground, ...Thing[]]>>>> = {
  plan_path: {
    '#': ['wall'],
    '.': ['floor'],
    S: ['floor', 'walker'],
    G: ['goal'],
    '*': ['goal', 'walker'],
  },
  sokoban: {
    '#': ['wall'],
    _: ['floor'],
    '.': ['target'],
    $: ['floor', 'box'],
    '*': ['target', 'box'],
    '@': ['floor', 'walker'],
    '+': ['target', 'walker'],
  },
}

type Thing = 'walker' | 'box'

const STEPS: Readonly<Record<Move, readonly [down: number, right: number]>> = {
  up: [-1, 0],
  down: [1, 0],
  left: [0, -1],
  right: [0, 1],
}

const LETTERS: Readonly<Record<string, Move>> = { U: 'up', D: 'down', L: 'left', R: 'right' }

const isMove = (word: unknown): word is Move =>
  typeof word === 'string' && Object.hasOwn(STEPS, word)

export const isSame = (a: Place, b: Place): boolean => a.row === b.row && a.column === b.column

/** null: the picture has no such board. */
export function worldOf({ game, board }: Picture): World | null {
  const marks = typeof game === 'string' && Object.hasOwn(MARKS, game) ? MARKS[game] : undefined
  if (!marks || typeof board !== 'string') return null
  const lines = board.split('\n', MOST_ROWS + 1)
  const width = Math.max(...lines.map((line) => line.length))
  if (lines.length > MOST_ROWS || width > MOST_ROWS) return null
  const walkers: Place[] = []
  const boxes: Place[] = []
  const ground: Ground[][] = []
  for (const [row, line] of lines.entries()) {
    const cells = Array.from({ length: width }, (): Ground => 'nothing')
    for (const [column, mark] of line.split('').entries()) {
      const meant = Object.hasOwn(marks, mark) ? marks[mark] : undefined
      if (!meant) return null
      const [below, thing] = meant
      cells[column] = below
      if (thing) (thing === 'box' ? boxes : walkers).push({ row, column })
    }
    ground.push(cells)
  }
  const [walker] = walkers
  return walker && walkers.length === 1 ? { ground, walker, boxes } : null
}

export function isSolved({ ground, walker, boxes }: World): boolean {
  const on = ({ row, column }: Place): Ground | undefined => ground[row]?.[column]
  if (boxes.length > 0) return boxes.every((box) => on(box) === 'target')
  return on(walker) === 'goal'
}

/** What was read of a message: "right, down", or "RD". Nothing else is a list of moves. */
export function movesOf(read: string): readonly Move[] {
  const words = /^[UDLR]+$/.test(read)
    ? read.split('').map((letter) => LETTERS[letter])
    : read.split(', ')
  return words.every(isMove) ? words : []
}

/** The moves that a picture tells of, from the start of the episode on. */
export const movesIn = ({ moves }: Picture): readonly Move[] =>
  Array.isArray(moves) ? moves.filter(isMove) : []

export interface Way {
  /** Before the first move, and after each that was made. */
  readonly worlds: readonly [World, ...World[]]
  readonly made: number
  /** Where the first move led that could not be made; null: none was blocked. */
  readonly blocked: Place | null
  readonly isSolved: boolean
}

/** The moves up to the first that is blocked, or to the solution. */
export function wayOf(world: World, moves: readonly Move[]): Way {
  const worlds: [World, ...World[]] = [world]
  let now = world
  for (const move of moves) {
    if (isSolved(now)) break
    const next = after(now, move)
    const made = worlds.length - 1
    if (!next) return { worlds, made, blocked: beside(now.walker, move), isSolved: false }
    worlds.push(next)
    now = next
  }
  return { worlds, made: worlds.length - 1, blocked: null, isSolved: isSolved(now) }
}

export const placesOf = ({ worlds }: Way): readonly Place[] => worlds.map(({ walker }) => walker)

const beside = ({ row, column }: Place, move: Move): Place => {
  const [down, right] = STEPS[move]
  return { row: row + down, column: column + right }
}

/** null: the move is blocked. */
function after(world: World, move: Move): World | null {
  const walker = beside(world.walker, move)
  if (!isFree(world, walker)) return null
  const pushed = world.boxes.findIndex((box) => isSame(box, walker))
  if (pushed < 0) return { ...world, walker }
  const box = beside(walker, move)
  if (!isFree(world, box) || world.boxes.some((other) => isSame(other, box))) return null
  return { ...world, walker, boxes: world.boxes.with(pushed, box) }
}

function isFree({ ground }: World, { row, column }: Place): boolean {
  const cell = ground[row]?.[column]
  return cell !== undefined && cell !== 'wall' && cell !== 'nothing'
}
