import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { useNavigate } from 'react-router'

import { allSent, uploadsOf } from '@/components/attach/attachments'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { queries, oneOf } from '@/lib/api/queries'
import { useCommands, type Command } from '@/lib/commands'
import { useIdempotencyKey } from '@/lib/idempotency-key'

import { focusQuestion } from './canvas-focus'
import { useDesign, useDesignStore, useIsScript, useSpec } from './design-store'
import { text } from '@/strings/designs'

import { useSaver, useSaverStore } from './saver-context'
import { useProblems } from './use-problems'

type Original = components['schemas']['Run']
export type RunDesign = ReturnType<typeof useRunDesign>

/** Puts a question to the design as it is now, saved first, and goes to the run. The question of the
 * run that it was taken from stands there already, to be asked just as it was there. */
export function useRunDesign(id: string) {
  const endpoints = useQuery(queries.endpoints).data ?? []
  const known = endpoints.filter(({ enabled }) => enabled !== false)
  const original = useOriginal()
  const question = useDesign((state) => state.question)
  const isScript = useIsScript()
  const { files } = question
  const step = question.step && !isScript
  const query = question.query ?? original?.query ?? ''
  const again = original?.query === query ? original : null
  const asThere = known.find(({ key }) => key === original?.endpoint)?.key
  const endpoint = question.endpoint ?? asThere ?? oneOf(known)?.key ?? null
  const breakpoints = useDesign((state) => state.breakpoints)
  const stops = useSpec().agents.filter((agent) => breakpoints.has(agent.id))
  const isBlocked = useProblems().some(({ severity }) => severity === 'error')
  const saver = useSaverStore()
  const key = useIdempotencyKey()
  const client = useQueryClient()
  const navigate = useNavigate()
  const run = useMutation({
    mutationFn: async (beside: Original | null) => {
      const revision = await saver.flush()
      const body = {
        query,
        method: 'design',
        design: id,
        ...uploadsOf(files),
        ...(endpoint ? { endpoint } : {}),
        ...(again ? { seed: again.seed, judged_as: again.id } : {}),
        ...(stops.length > 0 ? { breakpoints: stops.map((agent) => agent.id) } : {}),
        ...(step ? { step } : {}),
      }
      // The draft is part of what is asked: changed since, the same words are another request.
      const made = await key.send({ ...body, revision }, (header) =>
        unwrap(api.POST('/api/runs', { params: { header }, body })),
      )
      return beside ? `/runs/compare?left=${beside.id}&right=${made.id}` : `/runs/${made.id}`
    },
    onSuccess: async (address) => {
      void client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(address)
    },
  })
  const mayRun = query.trim() !== '' && !isBlocked && allSent(files) && !run.isPending
  return { query, files, endpoint, known, original, again, step, stops, isBlocked, mayRun, run }
}

/** In the palette: it runs, or leads to what is missing. */
export function useRunCommand(readOnly: boolean, { mayRun, run }: RunDesign): void {
  const store = useDesignStore()
  const latest = useRef(focusQuestion)
  useEffect(() => {
    latest.current = mayRun ? () => run.mutate(null) : focusQuestion
  })
  const commands = useMemo<Command[]>(
    () =>
      readOnly
        ? []
        : [
            {
              id: 'design.run',
              label: text.commands.run,
              run: () => {
                // With an agent chosen, nothing would tell how it goes.
                store.getState().select({})
                latest.current()
              },
            },
          ],
    [readOnly, store],
  )
  useCommands(commands)
}

/** The run whose graph this design began as, if it is still there. */
function useOriginal(): Original | null {
  const id = useSaver(({ server }) => server.from_run)
  return useQuery({ ...queries.run(id ?? ''), enabled: id !== null }).data ?? null
}
