import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'

import { feedOf, type JobFeed } from './job-feed'
import { hasEnded, isGone, jobQuery, type Training } from './use-training'

/** Trainings that are followed live: the answer of `jobQuery` is renewed whenever they change. */
export function useFeeds(ids: readonly string[]): void {
  const client = useQueryClient()
  const wanted = ids.join(',')
  useEffect(() => {
    const stops = wanted.split(',').flatMap((id) => {
      const { queryKey } = jobQuery(id)
      const onJob = (job: Training): void => void client.setQueryData(queryKey, job)
      const onGone = (): void => void client.invalidateQueries({ queryKey, exact: true })
      return id ? [feedOf(id).watch({ onJob, onGone })] : []
    })
    return () => {
      for (const stop of stops) stop()
    }
  }, [client, wanted])
}

/** A training, followed live, also after its end when somebody resumes it. */
export function useJob(id: string) {
  const job = useQuery(jobQuery(id))
  const goesOn = job.data !== undefined && !hasEnded(job.data)
  // One that is not there would make the server refuse the stream of everything else, too.
  useFeeds(job.data === undefined || isGone(job.error) ? [] : [id])
  useEffect(() => {
    if (goesOn) feedOf(id).follow()
  }, [goesOn, id])
  return job
}

/** The feeds of these trainings, which must be followed already, as they are now. */
export function useFeedViews(ids: readonly string[]): {
  readonly feeds: readonly JobFeed[]
  /** Changes with the curve of any of them. */
  readonly version: string
} {
  const wanted = ids.join(',')
  const watch = useCallback(
    (viewer: () => void) => {
      const stops = feedsOf(wanted).map((feed) => feed.view(viewer))
      return () => {
        for (const stop of stops) stop()
      }
    },
    [wanted],
  )
  useSyncExternalStore(watch, () => versionsOf(feedsOf(wanted)))
  const feeds = useMemo(() => feedsOf(wanted), [wanted])
  return { feeds, version: `${wanted}/${versionsOf(feeds.map(({ curve }) => curve))}` }
}

const feedsOf = (ids: string): JobFeed[] => ids.split(',').filter(Boolean).map(feedOf)

const versionsOf = (things: readonly { readonly version: number }[]): string =>
  things.map(({ version }) => version).join()
