/**
 * A team that a script describes (MetaAgent-X): the scripts as they were read, the calls of the last one, and how it
 * ended. The events are kept as they were told.
 */
import type { BlockCalled, ScriptEnded, ScriptRead } from '@/generated/events'
import { kept } from '@/graph/family'

export const KEY = 'scripts'

export type { BlockCalled, ScriptEnded, ScriptRead }
export type ScriptProblem = ScriptRead['problems'][number]
export type Drawing = NonNullable<ScriptRead['drawing']>
export type DrawnBlock = Drawing['blocks'][number]
export type BlockKind = DrawnBlock['kind']

interface Told {
  /** Agents that were asked for a script, in their order. */
  readonly designers: readonly string[]
  readonly reads: readonly ScriptRead[]
  readonly calls: readonly BlockCalled[]
  readonly ended: ScriptEnded | null
}

export const { of: toldOf, change: changeTold } = kept<Told>(KEY, {
  designers: [],
  reads: [],
  calls: [],
  ended: null,
})

type Holder = Parameters<typeof toldOf>[0]

/** One try at a script. */
export interface Writing {
  /** 1, 2, … */
  readonly number: number
  /** null: the script was given, so no designer wrote it. */
  readonly designer: string | null
  /** null: it is being written, or nothing was read. */
  readonly read: ScriptRead | null
}

/** The tries at a script, the newest last. */
export function writingsOf(attempt: Holder): readonly Writing[] {
  const { designers, reads } = toldOf(attempt)
  const known = new Set(reads.map(({ agent_id: agent }) => agent))
  const open = designers.filter((id) => !known.has(id))
  return [
    ...reads.map((read) => ({ designer: read.agent_id, read })),
    ...open.map((designer) => ({ designer, read: null })),
  ].map((writing, index) => ({ ...writing, number: index + 1 }))
}

export const callOf = (attempt: Holder, agent: string): BlockCalled | null =>
  toldOf(attempt).calls.find(({ node }) => node.id === agent) ?? null

/** The script that runs, or that was read last. */
export const readOf = (attempt: Holder): ScriptRead | null => toldOf(attempt).reads.at(-1) ?? null

/** A line of a script, as it is written; lines count from 1. */
export const lineIn = (script: string, line: number): string =>
  script.split('\n')[line - 1]?.trim() ?? ''
