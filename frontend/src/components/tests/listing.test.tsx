import { render } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { Listing } from '@/components/listing'

const pages = {
  isError: false,
  error: null,
  isPending: false,
  isSuccess: true,
  hasNextPage: false,
  isFetchingNextPage: false,
  refetch: () => Promise.resolve(),
  fetchNextPage: () => Promise.resolve(),
}

function rendered(list: Partial<typeof pages>, shown: string | null, isEmpty = false) {
  return render(
    <Listing
      list={{ ...pages, ...list }}
      isEmpty={isEmpty}
      none={<p>None</p>}
      shown={shown}
      more="Load more"
    >
      <p>Rows</p>
    </Listing>,
  )
}

describe('Listing', () => {
  it('leads on to more rows, also where it does not say how many are shown', () => {
    const fetchNextPage = vi.fn(() => Promise.resolve())
    const page = rendered({ hasNextPage: true, fetchNextPage }, null)
    page.getByRole('button', { name: 'Load more' }).click()
    expect(fetchNextPage).toHaveBeenCalledOnce()
  })

  it('says how many are shown when all of them are', () => {
    const page = rendered({}, '3 runs')
    expect(page.getByText('3 runs').tagName).toBe('FOOTER')
    expect(page.queryByRole('button')).toBeNull()
  })

  it('has no footer where there is nothing to say and nothing more', () => {
    expect(rendered({}, null).container.querySelector('footer')).toBeNull()
  })

  it('has no footer without rows', () => {
    const page = rendered({}, '0 runs', true)
    expect(page.getByText('None')).toBeTruthy()
    expect(page.queryByText('Rows')).toBeNull()
    expect(page.container.querySelector('footer')).toBeNull()
  })
})
