import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { createMemoryRouter, RouterProvider, type RouteObject } from 'react-router'

interface Around {
  readonly at?: string
  readonly path?: string
  /** Pages that it may lead to. */
  readonly beside?: readonly RouteObject[]
  /** What is known already, by the key of its query. */
  readonly known?: readonly (readonly [key: readonly unknown[], value: unknown])[]
  /** What is known is not asked for again. */
  readonly isFresh?: boolean
}

/** A page, or a part of one, at its address; what fails is not tried again. */
export function show(
  page: ReactNode,
  { at = '/', path = '*', beside = [], known = [], isFresh = false }: Around = {},
) {
  const queries = { retry: false, staleTime: isFresh ? Infinity : 0 }
  const client = new QueryClient({ defaultOptions: { queries } })
  for (const [key, value] of known) client.setQueryData(key, value)
  const routes = [{ path, element: page }, ...beside]
  const router = createMemoryRouter(routes, { initialEntries: [at] })
  const view = render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { ...view, client, router }
}
