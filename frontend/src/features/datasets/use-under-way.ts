import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'

import type { components } from '@/generated/api'
import { api, patientFetch, unwrap, uploadFetch } from '@/lib/api/client'
import { queries } from '@/lib/api/queries'
import { formatBytes, formatCount, formatLeft } from '@/lib/format'
import { uniqueUuid } from '@/lib/unique'
import { formatPercentDone } from '@/lib/use-progress-title'
import { timeLeft } from '@/lib/use-time-left'
import { text } from '@/strings/datasets'

import { datasetQuery } from './use-datasets'

const POLL_MS = 1_000
/** Between two steps of the way up: more of them nobody reads. */
const STEP_MS = 250

/** What a request takes that is told about while it goes on. */
export interface Sending {
  readonly header: { readonly 'Import-Id': string }
  readonly signal: AbortSignal
  readonly fetch: (request: Request) => Promise<Response>
}

interface Sent {
  readonly id: string
  /** In milliseconds, when the way up ended; null while it goes on. */
  readonly arrived: number | null
  readonly step: ImportStep | null
}

export interface UnderWay {
  /** Sends something, with an end to what was under way before. */
  readonly run: <T>(send: (sending: Sending) => Promise<T>) => Promise<T>
  /** Ends what is under way: it changes nothing then, unless it is over. */
  readonly stop: () => void
  readonly isBusy: boolean
  /** null: nothing is under way, or it is not known how far it is. */
  readonly step: ImportStep | null
  /** See `Sent`. */
  readonly arrived: number | null
}

/** An import of a dataset, or a composition of its tasks, while it is sent and the server is at it.
 * `isSmall`: of what is sent no way up is worth telling. Leaving the page ends it. */
export function useUnderWay(dataset: string, { isSmall = false } = {}): UnderWay {
  const client = useQueryClient()
  const current = useRef<{ id: string; abort: AbortController } | null>(null)
  const [sent, setSent] = useState<Sent | null>(null)
  const told = useQuery({
    ...toldQuery(sent?.id ?? ''),
    enabled: sent !== null && sent.arrived !== null,
  })

  const stop = useCallback((): void => {
    if (current.current === null) return
    const { id, abort } = current.current
    current.current = null
    setSent(null)
    abort.abort()
    // Where this comes too late, the tasks are there.
    void api
      .DELETE('/api/datasets/imports/{import_id}', { params: { path: { import_id: id } } })
      .catch(() => null)
      .then(() => client.invalidateQueries({ queryKey: datasetQuery(dataset).queryKey }))
      .then(() => client.invalidateQueries({ queryKey: queries.datasets.queryKey }))
  }, [client, dataset])
  useEffect(() => stop, [stop])

  const run: UnderWay['run'] = async (send) => {
    stop()
    const id = uniqueUuid()
    const abort = new AbortController()
    const own = { id, abort }
    current.current = own
    setSent({ id, arrived: isSmall ? Date.now() : null, step: null })
    try {
      return await send({
        header: { 'Import-Id': id },
        signal: abort.signal,
        fetch: isSmall
          ? patientFetch
          : uploadFetch(
              stepping((step) => {
                const arrived = step.done >= step.total ? Date.now() : null
                setSent((now) => (now?.id === id ? { id, arrived, step } : now))
              }),
            ),
      })
    } finally {
      if (current.current === own) {
        current.current = null
        setSent(null)
      }
    }
  }

  const arrived = sent?.arrived ?? null
  const step = (arrived === null ? sent?.step : told.data) ?? null
  return { run, stop, isBusy: sent !== null, arrived, step }
}

/** For the title of the tab. */
export function useTold({ step }: UnderWay, onProgress: (progress: string | null) => void): void {
  const progress = step ? stepTitle(step) : null
  useEffect(() => {
    onProgress(progress)
    return () => onProgress(null)
  }, [onProgress, progress])
}

/** What the server tells. Its first note is asked for after a second: most imports are over by then. */
const toldQuery = (id: string) => ({
  queryKey: ['import', id],
  queryFn: async (): Promise<ImportStep | null> =>
    unwrap(api.GET('/api/datasets/imports/{import_id}', { params: { path: { import_id: id } } })),
  initialData: null,
  staleTime: POLL_MS,
  gcTime: 0,
  retry: false,
  refetchInterval: POLL_MS,
  refetchIntervalInBackground: true, // for the title of a tab that nobody looks at
})

/** `onSent` of an upload as steps, some four a second and the last one. */
function stepping(give: (step: ImportStep) => void): (done: number, total: number) => void {
  const began = Date.now()
  let given = 0
  return (done, total) => {
    const now = Date.now()
    if (done < total && now - given < STEP_MS) return
    given = now
    give({ phase: 'uploading', done, total, seconds: (now - began) / 1_000 })
  }
}

const { progress: words } = text.importing
/** An estimate from less is a guess. */
const LEAST_SECONDS = 1

type Told = components['schemas']['ImportProgress']

/** What the server tells of its phases; before them, how much of the file is on its way. */
export type ImportStep = Readonly<Omit<Told, 'phase'> & { phase: Told['phase'] | 'uploading' }>

const IN_BYTES: ReadonlySet<ImportStep['phase']> = new Set(['uploading', 'downloading', 'reading'])

/** Seconds until the phase is over, at its own pace so far; null while that is not known. */
export const stepLeft = ({ done, total, seconds }: ImportStep): number | null =>
  seconds < LEAST_SECONDS
    ? null
    : timeLeft({ at: 0, done: 0 }, { at: seconds * 1_000, done }, total)

export function stepText(step: ImportStep): string {
  const { phase, done, total } = step
  const left = stepLeft(step)
  return words.stands(
    words.label[phase],
    IN_BYTES.has(phase)
      ? words.bytes(formatBytes(done), formatBytes(total))
      : words.tasks(formatCount(done), formatCount(total)),
    left === null ? null : formatLeft(left),
  )
}

/** For the tab: phases begin at 0 % each, so the percent needs a word. */
export const stepTitle = ({ phase, done, total }: ImportStep): string =>
  `${words.tab[phase]} ${formatPercentDone(done, total)}`
