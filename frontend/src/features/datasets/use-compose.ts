import { useMutation, useQueryClient } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { queries, type Dataset } from '@/lib/api/queries'

import { datasetQuery } from './use-datasets'
import type { UnderWay } from './use-under-way'

export function useCompose(source: string, underWay: UnderWay, onMade: (made: Dataset) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: components['schemas']['ComposeRequest']) =>
      underWay.run(({ header, ...sending }) =>
        unwrap(
          api.POST('/api/datasets/{key}/compose', {
            params: { path: { key: source }, header },
            body,
            ...sending,
          }),
        ),
      ),
    onSuccess: async (made) => {
      client.setQueryData(datasetQuery(made.key).queryKey, made)
      await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
      onMade(made)
    },
  })
}
