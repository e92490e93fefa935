import { act, render } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'

import { useSetParams } from '@/lib/use-param'

describe('the address', () => {
  it('keeps a change that is not drawn yet when another one follows', async () => {
    const setters: ReturnType<typeof useSetParams>[] = []
    function Page() {
      setters.push(useSetParams())
      return null
    }
    const router = createMemoryRouter([{ path: '/', element: <Page /> }])
    render(<RouterProvider router={router} />)
    const first = setters[0]
    if (!first) throw new Error('not drawn')
    await act(async () => {
      first({ tab: 'graph' })
      await Promise.resolve()
      first({ moment: '2' })
      await Promise.resolve()
    })
    expect(router.state.location.search).toBe('?tab=graph&moment=2')
  })
})
