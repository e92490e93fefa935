/** The state of one open run page: what the frames say, and where the nodes stand. */
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { Frame } from '@/graph/frames'
import {
  DEFAULT_LAYOUT,
  place,
  tidy,
  type Direction,
  type Point,
  type Positions,
} from '@/graph/layout'
import { applyFrame } from '@/graph/run-state'
import { currentAttempt, emptyRun, type AttemptView, type RunView } from '@/graph/run-view'
import { shapeOf, type Shape } from '@/graph/shape'

export interface RunState {
  readonly view: RunView
  readonly attempt: AttemptView | null
  readonly shape: Shape
  readonly positions: Positions
  readonly direction: Direction
  readonly narrow: boolean
  /** Seconds by which this machine's clock is ahead of the worker's; null until a live event came. */
  readonly skew: number | null
  /** What a snapshot brought: it was there before, so it does not enter. */
  readonly known: ReadonlySet<string>
  readonly applyFrames: (frames: readonly Frame[]) => void
  /** A narrow canvas is filled downwards, unless many agents stand side by side. */
  readonly setNarrow: (narrow: boolean) => void
  readonly moveNode: (id: string, point: Point) => void
  readonly tidyUp: () => void
}

export type RunStore = StoreApi<RunState>

const NOWHERE: Positions = new Map()
const EMPTY: Shape = shapeOf(null, false)
const MOST_ABREAST = 3

export function createRunStore(runId: string): RunStore {
  return createStore<RunState>()((set) => ({
    view: emptyRun(runId),
    attempt: null,
    shape: EMPTY,
    positions: placed(EMPTY, NOWHERE, 'right'),
    direction: 'right',
    narrow: false,
    skew: null,
    known: new Set(),
    applyFrames: (frames) => set((state) => afterFrames(state, frames, Date.now() / 1000)),
    setNarrow: (narrow) =>
      set((state) => {
        const direction = directionFor(state.shape, narrow)
        if (direction === state.direction) return { narrow }
        return { narrow, direction, positions: placed(state.shape, NOWHERE, direction) }
      }),
    moveNode: (id, point) =>
      set((state) => ({ positions: new Map(state.positions).set(id, point) })),
    tidyUp: () =>
      set(({ shape, direction }) => ({
        positions: placed(shape, tidy(presentNodes(shape), layoutFor(direction)), direction),
      })),
  }))
}

export function layoutFor(direction: Direction) {
  return { ...DEFAULT_LAYOUT, direction }
}

function afterFrames(
  state: RunState,
  frames: readonly Frame[],
  now: number,
): Partial<RunState> | RunState {
  const view = frames.reduce(applyFrame, state.view)
  const skew = skewOf(frames, now, state.skew)
  if (view === state.view) return skew === state.skew ? state : { skew }
  const attempt = currentAttempt(view)
  const before = state.attempt
  const answered = hasAnswer(view)
  const same =
    before?.agents === attempt?.agents &&
    before?.edges === attempt?.edges &&
    answered === hasAnswer(state.view)
  if (same) return { view, attempt, skew }
  const shape = shapeOf(attempt, answered)
  const isNew = before?.attempt !== attempt?.attempt || state.shape.nodes.length === 1
  const direction = isNew ? directionFor(shape, state.narrow) : state.direction
  const positions = placed(shape, isNew ? NOWHERE : state.positions, direction)
  const isSnapshot = frames.some((frame) => frame.type === 'snapshot')
  const known = isSnapshot ? idsOf(shape) : state.known
  return { view, attempt, skew, shape, direction, positions, known }
}

export function idsOf(shape: Shape): ReadonlySet<string> {
  return new Set([...shape.nodes, ...shape.edges].map(({ id }) => id))
}

/** Chosen while only the question stands there; afterwards nothing may move. */
function directionFor(shape: Shape, narrow: boolean): Direction {
  const fromQuery = shape.edges.filter((edge) => edge.kind === 'query' && !edge.removed)
  return narrow && fromQuery.length <= MOST_ABREAST ? 'down' : 'right'
}

function placed(shape: Shape, positions: Positions, direction: Direction): Positions {
  return place(shape.nodes, positions, layoutFor(direction))
}

/** A removed agent keeps its place while the graph grows, and gives it up when a person tidies. */
function presentNodes(shape: Shape) {
  return shape.nodes.filter((node) => node.agent?.status !== 'removed')
}

function hasAnswer(view: RunView): boolean {
  return view.status === 'succeeded'
}

/** The smallest delay seen is the one without waiting, so it is the best guess of the clocks' difference. */
function skewOf(frames: readonly Frame[], now: number, known: number | null): number | null {
  const delays = frames.flatMap((frame) => (frame.type === 'trace' ? [now - frame.event.at] : []))
  const all = known === null ? delays : [...delays, known]
  return all.length > 0 ? Math.min(...all) : null
}
