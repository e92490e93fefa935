import { useMemo } from 'react'

import { useRun } from '@/components/run/run-context'
import { useAgents, useAgentNames } from '@/components/run/use-agents'
import { readableText } from '@/graph/live-text'
import { hasStopped } from '@/graph/run-view'

import { blocksOf } from './blocks'
import { litBy } from './lines'
import { scriptSoFar, type SoFar } from './reading'
import { toldOf, writingsOf, type Writing } from './scripts'
import { text } from './words'

/** The scripts, the calls and the blocks at the moment that is shown. */
export function useScripts() {
  const families = useRun(({ attempt }) => attempt?.families)
  const isOver = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  const agents = useAgents()
  return useMemo(() => {
    const holder = families ? { families } : null
    const { calls, ended } = toldOf(holder)
    const writings = writingsOf(holder)
    const last = writings.at(-1) ?? null
    const used = writings.findLast(({ read }) => read !== null)?.read ?? null
    const drawing = used?.drawing ?? null
    return {
      writings,
      last,
      drawing,
      calls,
      ended,
      isOver,
      blocks: blocksOf(drawing, calls, agents),
      lit: litBy(calls, agents),
    }
  }, [families, isOver, agents])
}

export type Scripts = ReturnType<typeof useScripts>

const NOTHING: SoFar = { script: '', prose: '' }

/** What a designer has written so far; of one that has been read, what was read. */
export function useWritten({ designer, read }: Writing): SoFar {
  const agent = useAgents().get(designer ?? '')
  const live = useRun((state) =>
    designer === null ? undefined : state.attempt?.live.get(designer),
  )
  const reply = agent?.message ?? (live ? readableText(live) : '')
  return useMemo(
    () => (read ? { script: read.script, prose: '' } : reply ? scriptSoFar(reply) : NOTHING),
    [read, reply],
  )
}

/** One sentence on what happens now. */
export function usePhase({ last, calls, ended, isOver, writings }: Scripts): string {
  const agents = useAgents()
  const nameOf = useAgentNames()
  const designer = agents.get(last?.designer ?? '')
  const hasBegun = useRun((state) => state.attempt?.live.has(last?.designer ?? '') === true)
  const { phase: words } = text
  if (ended) return text.ending[ended.ending]
  if (!last?.read) {
    if (isOver || designer?.status === 'failed') return words.failed
    return hasBegun ? words.writing(last?.number ?? 1) : words.waiting
  }
  if (last.read.problems.length > 0) return isOver ? words.failed : words.unusable
  const speaking = calls.flatMap(({ node }) =>
    agents.get(node.id)?.status === 'active' ? [nameOf(node.id)] : [],
  )
  if (speaking.length > 0) return words.speaking(speaking.join(', '))
  if (isOver) return words.stopped
  return calls.length === 0 && writings.length > 0 ? words.starting : words.between
}
