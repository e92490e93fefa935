import { describe, expect, it } from 'vitest'

import { addressOf, filterParams, filtersOf, type FilterKind } from '@/lib/use-list-filters'

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

describe('the address of filters', () => {
  it('is the same for the same filters, and leads back to them', () => {
    const written = 'q=baker+cakes&mine=true&status=failed&unknown=1&method=mashost'
    const filters = filtersOf(kind, new URLSearchParams(written))
    const address = addressOf(filters)
    expect(filtersOf(kind, new URLSearchParams(address))).toEqual(filters)
    const turned = new URLSearchParams([...new URLSearchParams(written)].toReversed())
    expect(addressOf(filtersOf(kind, turned))).toBe(address)
    expect(addressOf(filtersOf(kind, new URLSearchParams()))).toBe('')
  })
})
