import { describe, expect, it } from 'vitest'

import { FILTERS, runParams } from '@/features/runs/filters'
import { filtersOf } from '@/lib/use-list-filters'

const asked = (address: string) => runParams(filtersOf(FILTERS, new URLSearchParams(address)))

describe('what the list of runs asks the API for', () => {
  it('is what the address says, in the API’s types', () => {
    const address =
      'answers=true&checkpoint=taught-2&correct=false&annotated=true&label=unit&max_cost=0.5&role=planner'
    expect(asked(`${address}&min_cost=0`)).toEqual({
      checkpoint: 'taught-2',
      correct: false,
      answers: true,
      annotated: true,
      label: 'unit',
      role: 'planner',
      min_cost: 0,
      max_cost: 0.5,
    })
  })

  it('leaves out what is no number and neither yes nor no', () => {
    expect(asked('answers=no&correct=perhaps&annotated=1&min_cost=-1&max_cost=much')).toEqual({})
  })
})
