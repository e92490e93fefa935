/**
 * What can be done to a design, each as a function from the old one to the new one. An edit that changes
 * nothing returns the same object, so that nothing is saved and nothing can be undone.
 */
import type { DesignAgent, DesignSpec, DraftRole, Edge } from '@/generated/designs'
import { DEFAULT_LAYOUT, place, type LayoutNode, type Point } from '@/graph/layout'
import { tidy } from '@/graph/tidy'

import { cleanTexts } from './clean-text'

export type { DesignAgent, DesignSpec, DraftRole, Edge }

export const EMPTY: DesignSpec = {
  format: 3,
  agents: [],
  edges: [],
  answer_from: null,
  summary: false,
  summary_temperature: 0,
  vote: [],
  script: null,
}

/** How an agent begins: at temperature 0, on the run's endpoint. */
const PLAIN = { endpoint: null, temperature: 0, sample: null }

/** Agents with the edges between them, as they are copied. */
export interface Clip {
  readonly agents: readonly DesignAgent[]
  readonly edges: readonly Edge[]
}

export const SIDES = ['left', 'centre', 'right', 'top', 'middle', 'bottom'] as const
export type Side = (typeof SIDES)[number]

const CARD = { width: DEFAULT_LAYOUT.width, height: DEFAULT_LAYOUT.height }
export const PASTE_OFFSET = 32

/** One past the highest `a1`, `a2`, …, so that an id names one agent for ever. */
export function nextId(ids: Iterable<string>): string {
  const numbers = [...ids].map((id) => Number(/^a(\d+)$/.exec(id)?.[1] ?? 0))
  return `a${Math.max(0, ...numbers) + 1}`
}

export const idsOf = (design: DesignSpec): string[] => design.agents.map(({ id }) => id)

export const readsOf = (design: DesignSpec, id: string): string[] =>
  design.edges.filter(({ target }) => target === id).map(({ source }) => source)

export const readersOf = (design: DesignSpec, id: string): string[] =>
  design.edges.filter(({ source }) => source === id).map(({ target }) => target)

/** A new agent with a role's text; without a point the canvas finds a place. */
export function addAgent(
  design: DesignSpec,
  role: DraftRole,
  point: Point | null = null,
): readonly [DesignSpec, string] {
  const id = nextId(idsOf(design))
  const agent = { id, role, ...PLAIN, x: point?.x ?? null, y: point?.y ?? null }
  return [placeAll({ ...design, agents: [...design.agents, agent] }), id]
}

/** A new agent that reads `source`, to the right of it; without a source it reads the question alone. */
export function addReader(
  design: DesignSpec,
  role: DraftRole,
  source: string | null,
): readonly [DesignSpec, string] {
  if (source === null) return addAgent(design, role)
  const id = nextId(idsOf(design))
  const agent = { id, role, ...PLAIN, x: null, y: null }
  const drawn = connect({ ...design, agents: [...design.agents, agent] }, { source, target: id })
  return [placeAll(drawn), id]
}

export function removeAgents(design: DesignSpec, ids: ReadonlySet<string>): DesignSpec {
  if (!design.agents.some(({ id }) => ids.has(id))) return design
  return {
    ...design,
    agents: design.agents.filter(({ id }) => !ids.has(id)),
    edges: design.edges.filter(({ source, target }) => !ids.has(source) && !ids.has(target)),
    answer_from:
      design.answer_from !== null && ids.has(design.answer_from) ? null : design.answer_from,
    vote: design.vote.filter((id) => !ids.has(id)),
  }
}

/** Whose answer counts; null: the last agent's that has one. */
export const setAnswer = (design: DesignSpec, id: string | null): DesignSpec => ({
  ...design,
  answer_from: id,
  summary: false,
  vote: [],
})

/** A summary agent answers, or no longer. */
export const setSummary = (design: DesignSpec, summary: boolean): DesignSpec => ({
  ...design,
  summary,
  answer_from: summary ? null : design.answer_from,
  vote: summary ? [] : design.vote,
})

/** The most frequent answer of these counts; of nobody: no vote any more. */
export const setVote = (design: DesignSpec, ids: readonly string[]): DesignSpec => ({
  ...design,
  answer_from: null,
  summary: false,
  vote: [...ids],
})

/** Who is to vote where nobody has said: whoever nobody reads. */
export const likelyVoters = (design: DesignSpec): string[] => {
  const read = new Set(design.edges.map(({ source }) => source))
  const last = idsOf(design).filter((id) => !read.has(id))
  return last.length > 1 ? last : idsOf(design)
}

export const samplesOf = (design: DesignSpec): number[] =>
  design.agents.flatMap(({ sample }) => (sample === null ? [] : [sample]))

const nextSample = (taken: readonly number[]): number => Math.max(-1, ...taken) + 1

/** Above 0 an agent draws a sample of its own: with the same seed, equal agents would say the same. */
export function setTemperature(design: DesignSpec, id: string, temperature: number): DesignSpec {
  const agent = design.agents.find((each) => each.id === id)
  if (!agent || agent.temperature === temperature) return design
  const sample = agent.temperature === 0 ? nextSample(samplesOf(design)) : agent.sample
  return changeAgent(design, id, { temperature, sample: temperature === 0 ? null : sample })
}

const isSame = (left: Edge, right: Edge): boolean =>
  left.source === right.source && left.target === right.target

export const edgeId = ({ source, target }: Edge): string => `${source}→${target}`

/** Why an edge cannot be drawn; null where it can. A longer cycle can: the check marks its agents. */
export function whyNotDrawn(design: DesignSpec, edge: Edge): 'itself' | 'twice' | null {
  if (edge.source === edge.target) return 'itself'
  return design.edges.some((other) => isSame(other, edge)) ? 'twice' : null
}

export function connect(design: DesignSpec, edge: Edge): DesignSpec {
  const { source, target } = edge
  const known = new Set(idsOf(design))
  if (!known.has(source) || !known.has(target)) return design
  if (whyNotDrawn(design, edge) !== null) return design
  return { ...design, edges: [...design.edges, { source, target }] }
}

export function disconnect(design: DesignSpec, ids: ReadonlySet<string>): DesignSpec {
  const edges = design.edges.filter((edge) => !ids.has(edgeId(edge)))
  return edges.length === design.edges.length ? design : { ...design, edges }
}

/** Makes `id` read just these; what stays keeps its place in the order. */
export function setReads(design: DesignSpec, id: string, sources: readonly string[]): DesignSpec {
  const gone = design.edges.filter((edge) => edge.target === id && !sources.includes(edge.source))
  return sources.reduce(
    (next, source) => connect(next, { source, target: id }),
    disconnect(design, new Set(gone.map(edgeId))),
  )
}

export function changeAgent(
  design: DesignSpec,
  id: string,
  change: Partial<Omit<DesignAgent, 'id'>>,
): DesignSpec {
  const agents = design.agents.map((agent) => (agent.id === id ? { ...agent, ...change } : agent))
  return { ...design, agents }
}

export function changeRole(design: DesignSpec, id: string, change: Partial<DraftRole>): DesignSpec {
  const agent = design.agents.find((each) => each.id === id)
  return agent
    ? changeAgent(design, id, { role: { ...agent.role, ...cleanTexts(change) } })
    : design
}

export function moveAgents(design: DesignSpec, points: ReadonlyMap<string, Point>): DesignSpec {
  const agents = design.agents.map((agent) => {
    const point = points.get(agent.id)
    if (!point || (point.x === agent.x && point.y === agent.y)) return agent
    return { ...agent, x: point.x, y: point.y }
  })
  const moved = agents.some((agent, index) => agent !== design.agents[index])
  return moved ? { ...design, agents } : design
}

export function copyOf(design: DesignSpec, ids: ReadonlySet<string>): Clip {
  return {
    agents: design.agents.filter(({ id }) => ids.has(id)),
    edges: design.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
  }
}

/** The clip under new ids and with samples of its own, a little aside. Returns whom it added, too. */
export function paste(design: DesignSpec, clip: Clip): readonly [DesignSpec, readonly string[]] {
  const taken = idsOf(design)
  const renamed = new Map<string, string>()
  for (const { id } of clip.agents) {
    const fresh = nextId([...taken, ...renamed.values()])
    renamed.set(id, fresh)
  }
  const offset = freeOffset(design, clip)
  let sample = nextSample(samplesOf(design))
  const agents = clip.agents.map((agent) => ({
    ...agent,
    id: renamed.get(agent.id) ?? agent.id,
    sample: agent.sample === null ? null : sample++,
    x: agent.x === null ? null : agent.x + offset,
    y: agent.y === null ? null : agent.y + offset,
  }))
  const edges = clip.edges.flatMap(({ source, target }) => {
    const [from, to] = [renamed.get(source), renamed.get(target)]
    return from && to ? [{ source: from, target: to }] : []
  })
  const next = {
    ...design,
    agents: [...design.agents, ...agents],
    edges: [...design.edges, ...edges],
  }
  return [placeAll(next), [...renamed.values()]]
}

/** How far a clip goes to the right and down until it covers nothing that stands there already. */
function freeOffset(design: DesignSpec, clip: Clip): number {
  const places = new Set(design.agents.map(({ x, y }) => `${x} ${y}`))
  let offset = PASTE_OFFSET
  const covers = ({ x, y }: DesignAgent): boolean =>
    x !== null && y !== null && places.has(`${x + offset} ${y + offset}`)
  while (clip.agents.some(covers)) offset += PASTE_OFFSET
  return offset
}

/** Lines up the cards of these agents at one side, or by their middles. */
export function align(design: DesignSpec, ids: ReadonlySet<string>, side: Side): DesignSpec {
  const cards = placeAll(design).agents.filter(({ id }) => ids.has(id))
  if (cards.length < 2) return design
  const axis = side === 'top' || side === 'bottom' || side === 'middle' ? 'y' : 'x'
  const values = cards.map((card) => card[axis] ?? 0)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const goal =
    side === 'left' || side === 'top'
      ? least
      : side === 'right' || side === 'bottom'
        ? most
        : (least + most) / 2
  return moveAgents(
    design,
    new Map(cards.map(({ id, x, y }) => [id, { x: x ?? 0, y: y ?? 0, [axis]: goal }])),
  )
}

/** The same gap between neighbours along an axis; the outermost stay. */
export function distribute(
  design: DesignSpec,
  ids: ReadonlySet<string>,
  axis: 'x' | 'y',
): DesignSpec {
  const cards = placeAll(design)
    .agents.filter(({ id }) => ids.has(id))
    .sort((left, right) => (left[axis] ?? 0) - (right[axis] ?? 0))
  const [first, last] = [cards[0], cards.at(-1)]
  if (cards.length < 3 || !first || !last) return design
  const from = first[axis] ?? 0
  const step = ((last[axis] ?? 0) - from) / (cards.length - 1)
  return moveAgents(
    design,
    new Map(
      cards.map(({ id, x, y }, index) => [
        id,
        { x: x ?? 0, y: y ?? 0, [axis]: Math.round(from + index * step) },
      ]),
    ),
  )
}

export const setScript = (design: DesignSpec, script: string): DesignSpec =>
  design.script === script ? design : { ...design, script }

const layoutNodes = (design: DesignSpec): LayoutNode[] =>
  design.agents.map(({ id }) => ({ id, reads: readsOf(design, id) }))

/** Gives a place to every agent that has none; the others stay where they are. */
export function placeAll(design: DesignSpec): DesignSpec {
  if (design.agents.every(({ x, y }) => x !== null && y !== null)) return design
  const placed = new Map(
    design.agents.flatMap(({ id, x, y }) => (x === null || y === null ? [] : [[id, { x, y }]])),
  )
  return moveAgents(design, place(forwardOnly(layoutNodes(design)), placed))
}

/** Everything laid out anew, whoever reads to the right of what it reads. */
export const tidyUp = (design: DesignSpec): DesignSpec =>
  moveAgents(design, tidy(layoutNodes(design)))

/** The layout grows from those who read nobody; an edge back to an earlier agent has no say in it. */
function forwardOnly(nodes: readonly LayoutNode[]): LayoutNode[] {
  const ordered: LayoutNode[] = []
  const done = new Set<string>()
  let left = [...nodes]
  while (left.length > 0) {
    const ready = left.filter(({ reads }) => reads.every((id) => done.has(id)))
    const now = ready.length > 0 ? ready : left.slice(0, 1)
    for (const { id, reads } of now) {
      ordered.push({ id, reads: reads.filter((source) => done.has(source)) })
    }
    for (const { id } of now) done.add(id)
    left = left.filter(({ id }) => !done.has(id))
  }
  return ordered
}

export const cardSize = CARD
