import { describe, expect, it } from 'vitest'

import { filterParams, filtersOf } from '@/features/runs/filters'

describe('filters in the address', () => {
  it('survive the way there and back', () => {
    const address = 'status=failed&method=mashost&endpoint=lab&pool=general&mine=true&q=baker+cakes'
    expect(
      new URLSearchParams(filterParams(filtersOf(new URLSearchParams(address)))).toString(),
    ).toBe(address)
  })

  it('are absent when nothing is filtered', () => {
    expect(filterParams(filtersOf(new URLSearchParams()))).toEqual({})
    expect(filterParams(filtersOf(new URLSearchParams('mine=false&q=')))).toEqual({})
  })

  it('pass over a status that does not exist', () => {
    expect(filtersOf(new URLSearchParams('status=exploded')).status).toBeNull()
  })
})
