import { describe, expect, it } from 'vitest'

import { filterParams, filtersOf, type FilterKind } from '@/lib/use-list-filters'

const kind: FilterKind<'failed' | 'running', 'method' | 'pool'> = {
  statuses: ['failed', 'running'],
  own: ['method', 'pool'],
}
const asked = (address: string) => filterParams(kind, filtersOf(kind, new URLSearchParams(address)))

describe('what the API is asked for', () => {
  it('is every filter of the address', () => {
    expect(asked('status=failed&method=mashost&pool=general&mine=true&q=baker+cakes')).toEqual({
      status: ['failed'],
      method: 'mashost',
      pool: 'general',
      mine: true,
      q: 'baker cakes',
    })
  })

  it('is nothing where nothing is filtered', () => {
    expect(asked('')).toEqual({})
    expect(asked('mine=false&q=&pool=')).toEqual({})
  })

  it('leaves out what this list does not know', () => {
    expect(asked('status=exploded&endpoint=lab&tab=checkpoints')).toEqual({})
  })
})
