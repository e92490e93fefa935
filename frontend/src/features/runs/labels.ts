import { queryOptions } from '@tanstack/react-query'

import { api, unwrap } from '@/lib/api/client'

/** The labels that people use, on most runs first. Under `runs`, so that a new one is asked for. */
export const labelsQuery = queryOptions({
  queryKey: ['runs', 'labels'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/runs/labels', { signal })),
  select: (labels) => labels.map(({ name }) => name),
})
