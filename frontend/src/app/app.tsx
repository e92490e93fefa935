import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { RouterProvider } from 'react-router'

import { createQueryClient } from './query-client'
import { createRouter } from './routes'
import { ToastRegion } from './toast-region'

export function App() {
  const [client] = useState(createQueryClient)
  const [router] = useState(createRouter)
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <ToastRegion go={(to) => void router.navigate(to)} />
    </QueryClientProvider>
  )
}
