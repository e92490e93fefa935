import { afterEach, describe, expect, it } from 'vitest'

import { forgetAsked, keepAsked } from '@/features/designs/asked'
import { createDesignStore, type DesignStore } from '@/features/designs/design-store'
import { design } from './support'

function opened(session = 'ada 1'): DesignStore {
  const store = createDesignStore('Drawn', design('ab'))
  keepAsked(session, store)
  return store
}

afterEach(() => sessionStorage.clear())

describe('what is to be asked of a design', () => {
  it('is there again after a reload, for the same person and design alone', () => {
    const before = opened()
    before.getState().ask({ query: 'What is 6 × 7?', step: true })
    before.getState().toggleBreakpoint('b')
    const after = opened().getState()
    const asked = { query: 'What is 6 × 7?', endpoint: null, step: true, files: [] }
    expect(after.question).toEqual(asked)
    expect([...after.breakpoints]).toEqual(['b'])
    expect(opened('bob 1').getState().question.query).toBeNull()
    expect(opened('ada 2').getState().breakpoints.size).toBe(0)
  })

  it('has its files again, but none that was on its way', () => {
    const file = { key: 'k', name: 'a.csv', size: 10, id: 'u1', sent: 10, problem: null }
    opened()
      .getState()
      .ask({ files: [file, { ...file, key: 'l', id: null }] })
    expect(opened().getState().question.files).toEqual([file])
  })

  it('of an older studio has no files', () => {
    const question = { query: 'Old?', endpoint: null, step: false }
    sessionStorage.setItem('mas-studio-asked ada 1', JSON.stringify({ question, breakpoints: [] }))
    expect(opened().getState().question).toEqual({ ...question, files: [] })
  })

  it('is gone when the design is', () => {
    opened().getState().ask({ query: 'Kept?' })
    forgetAsked('ada 1')
    expect(opened().getState().question.query).toBeNull()
  })

  it.each(['', '[]', '{"question":{"query":1},"breakpoints":[2]}', 'null', '{"question":null}'])(
    'takes nothing from what is not its own: %s',
    (foreign) => {
      sessionStorage.setItem('mas-studio-asked ada 1', foreign)
      const { question, breakpoints } = opened().getState()
      expect(question).toEqual({ query: null, endpoint: null, step: false, files: [] })
      expect(breakpoints.size).toBe(0)
    },
  )
})
