/** The state of one open run page: what the frames say, and where the nodes stand. */
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { Frame } from '@/graph/frames'
import {
  DEFAULT_LAYOUT,
  directionFor,
  NOWHERE,
  place,
  type Direction,
  type Point,
  type Positions,
  type Tidy,
} from '@/graph/layout'
import { namesAfter } from '@/graph/names'
import { applyFrame } from '@/graph/run-state'
import { Replay } from '@/graph/replay'
import {
  currentAttempt,
  emptyRun,
  isEnded,
  toldAttempt,
  type AttemptView,
  type RunView,
} from '@/graph/run-view'
import { shapeOf, type Shape } from '@/graph/shape'

import { isLater, type AnyFamily, type RunFamily } from './family-views'
import { withFamilies } from './with-families'

export interface RunState {
  /** The run's address in the API, for what is fetched when it is shown. */
  readonly apiPath: string
  /** Those that are there: others are fetched once the run tells of them. */
  readonly families: readonly RunFamily[]
  readonly view: RunView
  /** Number of the attempt that a person looks at; null: the current one, whichever that is. */
  readonly chosen: number | null
  /** What is shown: that attempt, or what it was at the moment that a person looks at. */
  readonly attempt: AttemptView | null
  /** That moment's place in the replay; null: the attempt as it stands. */
  readonly moment: number | null
  /** Whether moment follows moment by itself; see `useReplay`. */
  readonly playing: boolean
  readonly shape: Shape
  /** Of all agents of the attempt, also of those that come after the moment that is shown. */
  readonly names: ReadonlyMap<string, string>
  readonly positions: Positions
  /** What a person moved in a family's graph, by the family's key; all else stands where it was laid out. */
  readonly moved: Readonly<Record<string, Positions>>
  readonly direction: Direction
  readonly narrow: boolean
  /** Seconds by which this machine's clock is ahead of the worker's; null until a live event came. */
  readonly skew: number | null
  /** What a snapshot brought: it was there before, so it does not enter. */
  readonly known: ReadonlySet<string>
  readonly applyFrames: (frames: readonly Frame[]) => void
  readonly setNarrow: (narrow: boolean) => void
  /** Shows this attempt, the current one for null, at a moment of its replay; null: as it stands. */
  readonly go: (attempt: number | null, moment: number | null) => void
  /** Shows the attempt as it was at this moment of its replay; null: as it stands. */
  readonly seek: (moment: number | null) => void
  /** From the moment that is shown, from the end from the beginning. */
  readonly play: (playing: boolean) => void
  readonly moveNode: (id: string, point: Point) => void
  readonly tidyUp: (tidy: Tidy) => void
  /** In a family's graph. */
  readonly moveOwn: (family: string, id: string, point: Point) => void
  readonly arrangeOwn: (family: string, places: Positions) => void
}

export type RunStore = StoreApi<RunState>

const EMPTY: Shape = shapeOf(null, false)
const NOTHING_MOVED: RunState['moved'] = {}

export function createRunStore(
  runId: string,
  families: readonly AnyFamily[],
  apiPath = `/api/runs/${runId}`,
): RunStore {
  return createStore<RunState>()((set) => ({
    apiPath,
    families: families.flatMap((family) => (isLater(family) ? [] : family)),
    view: emptyRun(runId),
    chosen: null,
    attempt: null,
    moment: null,
    playing: false,
    shape: EMPTY,
    names: new Map(),
    positions: placed(EMPTY, NOWHERE, 'right'),
    moved: NOTHING_MOVED,
    direction: 'right',
    narrow: false,
    skew: null,
    known: new Set(),
    applyFrames: withFamilies(
      families.filter(isLater),
      (frames) => set((state) => afterFrames(state, frames, Date.now() / 1000)),
      (family) => set((state) => ({ families: [...state.families, family] })),
    ),
    setNarrow: (narrow) =>
      set((state) => {
        const shape = wholeShape(state)
        const direction = directionOf(shape, narrow)
        if (direction === state.direction) return { narrow, moved: NOTHING_MOVED }
        return {
          narrow,
          moved: NOTHING_MOVED,
          direction,
          positions: opened(shape, storedWhole(state) !== null, direction),
        }
      }),
    go: (attempt, moment) => set((state) => atPlace(state, attempt, moment)),
    seek: (moment) => set((state) => atMoment(state, moment)),
    play: (playing) =>
      set((state) => ({
        ...(playing && state.moment === null ? atMoment(state, 0) : {}),
        playing,
      })),
    moveNode: (id, point) =>
      set((state) => ({ positions: new Map(state.positions).set(id, point) })),
    tidyUp: (tidy) =>
      set((state) => {
        const shape = wholeShape(state)
        const tidied = tidy(presentNodes(shape), layoutFor(state.direction))
        return { positions: placed(shape, tidied, state.direction) }
      }),
    moveOwn: (family, id, point) =>
      set(({ moved }) => ({
        moved: { ...moved, [family]: new Map(moved[family]).set(id, point) },
      })),
    arrangeOwn: (family, places) => set(({ moved }) => ({ moved: { ...moved, [family]: places } })),
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
  const view = frames.reduce((known, frame) => applyFrame(known, frame, state.families), state.view)
  const skew = skewOf(frames, now, state.skew)
  if (view === state.view) return skew === state.skew ? state : { skew }
  const attempt = toldAttempt(view, state.chosen)
  // Who looks back is not torn away by news of the run that are none of its trace.
  if (state.moment !== null && attempt === shownWhole(state)) return { view, skew }
  const before = state.attempt
  const answered = hasAnswer(view, attempt)
  const same =
    before?.agents === attempt?.agents &&
    before?.edges === attempt?.edges &&
    answered === hasAnswer(state.view, before)
  if (same) return { view, attempt, skew }
  const names = namesAfter(attempt?.agents.values() ?? [], state.names)
  const shape = shapeOf(attempt, answered)
  const isNew = before?.attempt !== attempt?.attempt || state.shape.nodes.length === 1
  const direction = isNew ? directionOf(shape, state.narrow) : state.direction
  const positions = isNew
    ? opened(shape, attempt?.outcome != null, direction)
    : placed(shape, state.positions, direction)
  const isSnapshot = frames.some((frame) => frame.type === 'snapshot')
  const known = isSnapshot ? idsOf(shape) : state.known
  const end = { moment: null, playing: false }
  return { view, attempt, ...end, names, skew, shape, direction, positions, known }
}

const replays = new WeakMap<AttemptView, Replay>()

/** Of an attempt that gets no more events. */
export function replayOf(attempt: AttemptView, families: readonly RunFamily[]): Replay {
  const known = replays.get(attempt) ?? new Replay(attempt, families)
  replays.set(attempt, known)
  return known
}

/** The attempt that is shown, as it stands. */
export const shownWhole = ({ view, chosen }: Pick<RunState, 'view' | 'chosen'>) =>
  toldAttempt(view, chosen)

/** The same where it gets no more events, so that it can be told again. */
export function storedWhole(state: Pick<RunState, 'view' | 'chosen'>): AttemptView | null {
  const whole = shownWhole(state)
  return isEnded(state.view.status) || isEarlier(state) ? whole : null
}

/** Whether another attempt than the current one is shown. */
export const isEarlier = (state: Pick<RunState, 'view' | 'chosen'>): boolean =>
  shownWhole(state) !== currentAttempt(state.view)

function atPlace(
  state: RunState,
  attempt: number | null,
  moment: number | null,
): Partial<RunState> {
  const chosen = attempt === currentAttempt(state.view)?.attempt ? null : attempt
  if (chosen === state.chosen) return atMoment(state, moment)
  const opened = { ...state, chosen, ...opening(state, toldAttempt(state.view, chosen)) }
  return { ...opened, ...atMoment(opened, moment) }
}

/** Another attempt has other agents: it is laid out on its own, and nothing of it enters. */
function opening({ view, names, narrow }: RunState, attempt: AttemptView | null) {
  const shape = shapeOf(attempt, hasAnswer(view, attempt))
  const direction = directionOf(shape, narrow)
  return {
    attempt,
    moment: null,
    playing: false,
    names: namesAfter(attempt?.agents.values() ?? [], names),
    shape,
    direction,
    positions: opened(shape, attempt?.outcome != null, direction),
    moved: NOTHING_MOVED,
    known: idsOf(shape),
  }
}

/** Every node keeps its place: it is where it will stand when the run has ended. The last moment is
 * the end. */
function atMoment(state: RunState, moment: number | null): Partial<RunState> {
  const whole = shownWhole(state)
  if (whole === null || moment === state.moment) return {}
  const replay = replayOf(whole, state.families)
  if (moment === null || moment >= replay.moments.length - 1)
    return { attempt: whole, moment: null, playing: false, shape: wholeShape(state) }
  const attempt = replay.after(replay.moments[moment]?.events ?? whole.events.length)
  return { attempt, moment, shape: shapeOf(attempt, attempt.outcome?.status === 'succeeded') }
}

/** The graph as it stands, whatever moment is shown: places are given to all of it. */
function wholeShape(state: RunState): Shape {
  if (state.moment === null) return state.shape
  const whole = shownWhole(state)
  return shapeOf(whole, hasAnswer(state.view, whole))
}

export function idsOf(shape: Shape): ReadonlySet<string> {
  return new Set([...shape.nodes, ...shape.edges].map(({ id }) => id))
}

/** Chosen while only the question stands there; afterwards nothing may move. */
function directionOf(shape: Shape, narrow: boolean): Direction {
  const fromQuery = shape.edges.filter((edge) => edge.kind === 'query' && !edge.removed)
  return directionFor(fromQuery.length, narrow)
}

function placed(shape: Shape, positions: Positions, direction: Direction): Positions {
  return place(shape.nodes, positions, layoutFor(direction))
}

/** Of a run that had ended when it was opened, removed agents leave no holes: they find places last. */
function opened(shape: Shape, hasEnded: boolean, direction: Direction): Positions {
  const nodes = hasEnded ? presentNodes(shape) : shape.nodes
  return placed(shape, place(nodes, NOWHERE, layoutFor(direction)), direction)
}

/** A removed agent keeps its place while the graph grows, and gives it up when a person tidies. */
function presentNodes(shape: Shape) {
  return shape.nodes.filter((node) => node.agent?.status !== 'removed')
}

/** Of the current attempt the run knows it, too. */
function hasAnswer(view: RunView, attempt: AttemptView | null): boolean {
  const isCurrent = attempt?.attempt === currentAttempt(view)?.attempt
  return (isCurrent ? view.status : attempt?.outcome?.status) === 'succeeded'
}

/** The smallest delay seen is the one without waiting, so it is the best guess of the clocks' difference. */
function skewOf(frames: readonly Frame[], now: number, known: number | null): number | null {
  const delays = frames.flatMap((frame) => (frame.type === 'trace' ? [now - frame.event.at] : []))
  const all = known === null ? delays : [...delays, known]
  return all.length > 0 ? Math.min(...all) : null
}
