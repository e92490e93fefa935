import { queryOptions } from '@tanstack/react-query'

import type { components } from '@/generated/api'

import { api, unwrap } from './client'

export type DesignChoice = components['schemas']['DesignListed']

/** The longest page of the API: the designs that were changed last. */
const MOST = 200

/** To choose one from. */
export const designChoices = queryOptions({
  queryKey: ['designs', 'choices'],
  queryFn: async ({ signal }) => {
    const query = { page_size: MOST }
    return (await unwrap(api.GET('/api/designs', { params: { query }, signal }))).results
  },
})
