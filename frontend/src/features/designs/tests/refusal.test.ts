import { expect, it } from 'vitest'

import { refusalOf } from '@/features/designs/refusal'
import type { Endpoint } from '@/lib/api/queries'

import { agent, role } from './support'

const refuses = role({ refuse_condition: 'It is no sum.' })
const endpoint = (isSmall: boolean) => ({ key: 'own', is_small: isSmall }) as Endpoint

it('says whether an agent’s prompt names when to refuse', () => {
  const own = agent('a', { role: refuses, endpoint: 'own' })
  expect(refusalOf(own, endpoint(false))).toBe('It is no sum.')
  expect(refusalOf(own, endpoint(true))).toMatch(
    /^It is no sum\.\nThe model of its endpoint is small/,
  )
})

it('says which models know it where an agent asks the run’s endpoint', () => {
  expect(refusalOf(agent('a', { role: refuses }), undefined)).toMatch(
    /^It is no sum\.\nModels below a billion parameters do not get this/,
  )
})

it('says nothing of an agent that never refuses', () => {
  expect(refusalOf(agent('a'), undefined)).toBe('')
})
