import { describe, expect, it } from 'vitest'

import { exportAddress, FILTERS, runParams } from '@/features/runs/filters'
import { filtersOf } from '@/lib/use-list-filters'

const asked = (address: string) => runParams(filtersOf(FILTERS, new URLSearchParams(address)))

describe('what the list of runs asks the API for', () => {
  it('is what the address says, in the API’s types', () => {
    const address =
      'answers=true&checkpoint=taught-2&correct=false&annotated=true&label=unit&max_cost=0.5&role=planner&min_score=4'
    expect(asked(`${address}&min_cost=0`)).toEqual({
      checkpoint: 'taught-2',
      correct: false,
      answers: true,
      annotated: true,
      label: 'unit',
      min_score: 4,
      role: 'planner',
      min_cost: 0,
      max_cost: 0.5,
    })
  })

  it('leaves out what is no number and neither yes nor no', () => {
    expect(
      asked('answers=no&correct=perhaps&annotated=1&min_cost=-1&max_cost=much&min_score=6'),
    ).toEqual({})
  })

  it('is asked for as a file in the same words', () => {
    const address = 'status=failed&q=two+loaves&correct=false&min_score=4'
    const filters = filtersOf(FILTERS, new URLSearchParams(address))
    const [path, query] = exportAddress(filters).split('?')
    expect(path).toBe('/api/runs/export')
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      status: 'failed',
      q: 'two loaves',
      correct: 'false',
      min_score: '4',
    })
  })
})
