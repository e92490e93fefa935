/** What is drawn of a turn, by what its pictures are. */
import { codeScene, type CodeScene } from './code'
import { cellsOf, changesGiven, gridOf, gridsIn, repeats, type CellView } from './grids'
import { committedIn, proposedIn, type MoveView, type Picture, type TurnView } from './episode'
import { mathScene, type MathScene } from './math'
import {
  movesIn,
  movesOf,
  placesOf,
  wayOf,
  worldOf,
  type Move,
  type Place,
  type Way,
  type World,
} from './worlds'

export interface WalkScene {
  readonly kind: 'walk'
  /** As the turn begins, and after each of its moves. */
  readonly worlds: readonly [World, ...World[]]
  /** Where the episode began. */
  readonly start: Place
  /** The way of the turns before, to where this one begins. */
  readonly earlier: readonly Place[]
  readonly proposed: Way | null
  /** Where the team's last move led that could not be made. */
  readonly blocked: Place | null
}

export interface GridScene {
  readonly kind: 'grid'
  readonly cells: readonly CellView[]
}

/** Of an environment that has no view of its own here. */
export interface OtherScene {
  readonly kind: 'other'
  readonly picture: Picture
}

export type Scene = WalkScene | GridScene | MathScene | CodeScene | OtherScene

export function sceneOf(turn: TurnView): Scene {
  const { after } = turn
  return (
    walkScene(turn) ??
    gridScene(turn) ??
    mathScene(after) ??
    codeScene(after) ?? { kind: 'other', picture: after }
  )
}

/** The episode before its first turn. */
export const startOf = (picture: Picture): TurnView => ({
  number: 0,
  parts: [],
  before: picture,
  after: picture,
})

function walkScene(turn: TurnView): WalkScene | null {
  const { before, after } = turn
  const [from, to] = [worldOf(before), worldOf(after)]
  if (!from || !to) return null
  const proposed = proposedIn(turn)
  const committed = committedIn(turn)
  const made = wayOf(from, movesIn(after).slice(movesIn(before).length))
  const arrives = JSON.stringify(made.worlds.at(-1)?.walker) === JSON.stringify(to.walker)
  return {
    kind: 'walk',
    worlds: arrives ? made.worlds : [to],
    ...wayUpTo(before, from),
    proposed: proposed && walkedBy(proposed, from),
    blocked: (committed && walkedBy(committed, from)?.blocked) ?? null,
  }
}

const walkedBy = ({ read }: MoveView, from: World): Way | null => {
  const moves: readonly Move[] = movesOf(read)
  return moves.length > 0 ? wayOf(from, moves) : null
}

function wayUpTo(picture: Picture, now: World): Pick<WalkScene, 'start' | 'earlier'> {
  const first = worldOf({ ...picture, board: picture.start ?? '' })
  if (!first) return { start: now.walker, earlier: [] }
  return { start: first.walker, earlier: placesOf(wayOf(first, movesIn(picture))) }
}

function gridScene(turn: TurnView): GridScene | null {
  const grids = gridsIn(turn.after)
  if (!grids) return null
  const committed = committedIn(turn)
  const isRefused = committed !== null && gridProblem(committed.read, grids.given) !== null
  const told = isRefused ? committed : committed ? null : proposedIn(turn)
  const read = told && gridOf(told.read)
  const shown = read?.length === grids.filled.length ? read : null
  return { kind: 'grid', cells: cellsOf(grids, shown, isRefused) }
}

export type GridProblem = 'given' | 'twice'

/** Why a grid fills nothing; null: it does, or it is none. */
export function gridProblem(read: string, given: readonly string[]): GridProblem | null {
  const grid = gridOf(read)
  if (!grid) return null
  if (changesGiven(grid, given)) return 'given'
  return repeats(grid) ? 'twice' : null
}
