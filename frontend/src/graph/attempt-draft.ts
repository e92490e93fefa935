/**
 * One attempt while events are folded into it: collections are copied at the first write and then
 * written in place, so a snapshot of thousands of events costs one copy, not thousands.
 */
import type { Envelope } from './frames'
import { addPiece, adoptText, NO_TEXT, type TextPiece } from './live-text'
import type {
  AgentView,
  AttemptView,
  EdgeView,
  IntermediateView,
  LossView,
  OutcomeView,
  PauseView,
  StartView,
  TakenUpView,
  UsageView,
  VerdictView,
} from './run-view'

type Writable<T> = { -readonly [K in keyof T]: T[K] }
type Lists = 'edges' | 'intermediates'
type Maps = 'agents' | 'live'

export class AttemptDraft {
  private readonly view: Writable<AttemptView>
  private readonly owned = new Set<Lists | Maps>()

  constructor(base: AttemptView) {
    this.view = { ...base }
  }

  finish(): AttemptView {
    return { ...this.view }
  }

  append(envelope: Envelope): void {
    this.view.events = this.view.events.append(envelope)
    this.view.lastAt = Math.max(this.view.lastAt ?? envelope.event.at, envelope.event.at)
  }

  setStart(start: StartView): void {
    this.view.start = start
  }

  setOutcome(outcome: OutcomeView): void {
    this.view.outcome = outcome
  }

  setVerdict(verdict: VerdictView): void {
    this.view.verdict = verdict
  }

  setPause(pause: PauseView): void {
    this.view.pause = pause
  }

  setLoss(loss: LossView): void {
    this.view.loss = loss
  }

  setTakenUp(takenUp: TakenUpView): void {
    this.view.takenUp = takenUp
  }

  addIntermediate(answer: IntermediateView): void {
    this.list<IntermediateView>('intermediates').push(answer)
  }

  addUsage(usage: UsageView): void {
    this.view.otherUsage = [...this.view.otherUsage, usage]
  }

  setAnsweredBy(agents: readonly string[]): void {
    this.view.answeredBy = agents
  }

  get families(): AttemptView['families'] {
    return this.view.families
  }

  /** Of a family, under its key. */
  keep(key: string, state: unknown): void {
    this.view.families = { ...this.view.families, [key]: state }
  }

  addEdge(source: string, target: string, probability: number | null, back = false): void {
    const id = back ? `${source}↩${target}` : edgeId(source, target)
    const edges = this.list<EdgeView>('edges')
    if (!edges.some((edge) => edge.id === id)) edges.push({ id, source, target, probability, back })
  }

  agent(id: string): AgentView | undefined {
    return this.view.agents.get(id)
  }

  agentList(): AgentView[] {
    return [...this.view.agents.values()]
  }

  patchAgent(id: string, patch: Partial<AgentView>): void {
    const agents = this.map<AgentView>('agents')
    agents.set(id, { ...(agents.get(id) ?? newAgent(id, agents.size + 1)), ...patch })
  }

  addText(id: string, piece: TextPiece): void {
    const known = this.view.live.get(id) ?? NO_TEXT
    const next = addPiece(known, piece)
    if (next !== known) this.map('live').set(id, next)
  }

  adoptText(id: string, whole: string): void {
    const known = this.view.live.get(id) ?? NO_TEXT
    const next = adoptText(known, whole)
    if (next !== known) this.map('live').set(id, next)
  }

  forgetText(id: string): void {
    if (this.view.live.has(id)) this.map('live').delete(id)
  }

  private list<T>(name: Lists): T[] {
    if (!this.owned.has(name)) {
      this.owned.add(name)
      Object.assign(this.view, { [name]: [...this.view[name]] })
    }
    return this.view[name] as unknown as T[]
  }

  private map<T = unknown>(name: Maps): Map<string, T> {
    if (!this.owned.has(name)) {
      this.owned.add(name)
      Object.assign(this.view, { [name]: new Map<string, unknown>(this.view[name]) })
    }
    return this.view[name] as unknown as Map<string, T>
  }
}

export function edgeId(source: string, target: string): string {
  return `${source}→${target}`
}

function newAgent(id: string, ordinal: number): AgentView {
  return {
    id,
    ordinal,
    roleKey: '',
    roleName: id,
    round: null,
    family: null,
    summary: false,
    status: 'waiting',
    outcome: 'waiting',
    settled: false,
    reads: [],
    endpoint: null,
    prompt: [],
    message: null,
    thoughts: '',
    answer: null,
    tools: [],
    usage: null,
    seconds: null,
    calls: null,
    retries: null,
    failedTries: [],
    cached: null,
    truncated: false,
    cutCalls: null,
    tokenLimit: null,
    limitedBy: null,
    ownTemperature: false,
    given: null,
    failure: null,
    startedAt: null,
    endedAt: null,
    removedAt: null,
  }
}
