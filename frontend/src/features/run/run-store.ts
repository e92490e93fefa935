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
  /** Seconds by which this machine's clock is ahead of the worker's; null until a live event came. */
  readonly skew: number | null
  /** What a snapshot brought: it was there before, so it does not enter. */
  readonly known: ReadonlySet<string>
  readonly applyFrames: (frames: readonly Frame[]) => void
  readonly setDirection: (direction: Direction) => void
  readonly moveNode: (id: string, point: Point) => void
  readonly tidyUp: () => void
}

export type RunStore = StoreApi<RunState>

const NOWHERE: Positions = new Map()

export function createRunStore(runId: string): RunStore {
  return createStore<RunState>()((set) => ({
    view: emptyRun(runId),
    attempt: null,
    ...drawn(null, false, NOWHERE, 'right'),
    direction: 'right',
    skew: null,
    known: new Set(),
    applyFrames: (frames) => set((state) => afterFrames(state, frames, Date.now() / 1000)),
    setDirection: (direction) =>
      set((state) =>
        state.direction === direction
          ? state
          : { direction, positions: placed(state.shape, NOWHERE, direction) },
      ),
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
  const start = before?.attempt === attempt?.attempt ? state.positions : NOWHERE
  const next = drawn(attempt, answered, start, state.direction)
  const isSnapshot = frames.some((frame) => frame.type === 'snapshot')
  return { view, attempt, skew, ...next, known: isSnapshot ? idsOf(next.shape) : state.known }
}

export function idsOf(shape: Shape): ReadonlySet<string> {
  return new Set([...shape.nodes, ...shape.edges].map(({ id }) => id))
}

function drawn(
  attempt: AttemptView | null,
  answered: boolean,
  positions: Positions,
  direction: Direction,
): Pick<RunState, 'shape' | 'positions'> {
  const shape = shapeOf(attempt, answered)
  return { shape, positions: placed(shape, positions, direction) }
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
