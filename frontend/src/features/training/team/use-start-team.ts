import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { jobQuery } from '@/features/training/use-training'
import { api, patientFetch, unwrap } from '@/lib/api/client'
import { queries, type Game } from '@/lib/api/queries'
import { useIdempotencyKey } from '@/lib/idempotency-key'

import { datasetKey, EPISODES, trainingBody, type TeamDraft } from './team'

interface Wanted {
  readonly draft: TeamDraft
  readonly game: Game
  readonly hasEpisodes: boolean
}

/** Makes the episodes unless they are there, starts the training, and shows it. */
export function useStartTeam() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const key = useIdempotencyKey()
  const [isMaking, setIsMaking] = useState(false)
  const start = useMutation({
    mutationFn: async ({ draft, game, hasEpisodes }: Wanted) => {
      if (!hasEpisodes) {
        setIsMaking(true)
        await unwrap(
          api.POST('/api/games/{key}/episodes', {
            params: { path: { key: game.key } },
            body: { key: datasetKey(draft, game), options: draft.options, splits: EPISODES },
            fetch: patientFetch,
          }),
        )
        setIsMaking(false)
        await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
      }
      const body = trainingBody(draft, game)
      return key.send(body, (header) =>
        unwrap(api.POST('/api/training-jobs', { params: { header }, body })),
      )
    },
    onSuccess: async (job) => {
      client.setQueryData(jobQuery(job.id).queryKey, job)
      void client.invalidateQueries({ queryKey: ['trainings'] })
      await navigate(`/training/${job.id}`)
    },
    onSettled: () => setIsMaking(false),
  })
  return { start, isMaking }
}
