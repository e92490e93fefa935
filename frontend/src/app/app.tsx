import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { RouterProvider } from 'react-router'

import { createQueryClient } from './query-client'
import { createRouter } from './routes'
import { ToastRegion } from './toast-region'

export function App() {
  const [client] = useState(createQueryClient)
  const [router] = useState(createRouter)
  return (
    // The pages are English in every browser, and so are what components say and how they write numbers.
    <I18nProvider locale="en-GB">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <ToastRegion go={(to) => void router.navigate(to)} />
      </QueryClientProvider>
    </I18nProvider>
  )
}
