import { useCallback, useEffect, useMemo } from 'react'

import { useRun } from '@/components/run/run-context'
import { shownWhole, storedWhole } from '@/components/run/run-store'
import { useRoleName } from '@/components/run/use-roles'
import { hasStopped } from '@/graph/run-view'

import { stageNamed, stagesOf } from './stages'

type OnSelect = (id: string | null) => void

/** The stages at the shown moment, with the chosen one, or the newest. */
export function useStages(selected: string | null, onSelect: OnSelect) {
  const stages = useRun(({ attempt }) => stagesOf(attempt))
  const isOver = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  const isLive = useRun((state) => storedWhole(state) === null)
  const seek = useRun((state) => state.seek)
  const last = stages.at(-1) ?? null
  return {
    stages,
    isOver,
    shown: stageNamed(stages, selected ?? '') ?? last,
    /** In a run that goes on, the newest stage is followed by the next one. */
    choose: (number: number): void => {
      seek(null)
      onSelect(isLive && number === last?.number ? null : String(number))
    },
  }
}

/** The replay takes along who has chosen a stage. */
export function useFollow(selected: string | null, onSelect: OnSelect): void {
  const moment = useRun((state) => state.moment)
  const isPast = moment !== null && selected !== null
  useEffect(() => {
    if (isPast) onSelect(null)
  }, [isPast, onSelect])
}

/** The family of a role, as soon as one of the run's agents has it. */
export function useFamilyOfRole(): (role: string) => string | null {
  const agents = useRun((state) => shownWhole(state)?.agents)
  const families = useMemo(
    () => new Map([...(agents?.values() ?? [])].map(({ roleKey, family }) => [roleKey, family])),
    [agents],
  )
  return useCallback((role) => families.get(role) ?? null, [families])
}

/** The name of a role of the pool. */
export function useNameOfRole(): (role: string) => string {
  const stages = useRun((state) => stagesOf(shownWhole(state)))
  const otherwise = useRoleName()
  const names = useMemo(
    () =>
      new Map(
        stages
          .flatMap(({ layers }) => layers)
          .flatMap(({ candidates }) => candidates.map(({ role, name }) => [role, name] as const)),
      ),
    [stages],
  )
  return useCallback((role) => names.get(role) ?? otherwise(role), [names, otherwise])
}
