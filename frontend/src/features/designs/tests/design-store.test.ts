import { describe, expect, it } from 'vitest'

import { createDesignStore } from '@/features/designs/design-store'
import { pasteClip } from '@/features/designs/design-actions'
import { changeRole, copyOf, EMPTY, setScript } from '@/features/designs/edits'
import { forgetSession, sessionOf } from '@/features/designs/sessions'

import { design, stored } from './support'

const opened = () => createDesignStore('Mine', design('ab', 'ab'))
const BELL = '\u0007'

describe('a design that is open', () => {
  it('is replaced in a step that can be undone; whoever is still there stays chosen', () => {
    const store = opened()
    const { load, select, undo } = store.getState()
    select({ agents: new Set(['a', 'b']) })
    load('Theirs', design('bc'))
    expect(store.getState().history.present.name).toBe('Theirs')
    expect([...store.getState().selection.agents]).toEqual(['b'])
    undo()
    expect(store.getState().history.present).toMatchObject({
      name: 'Mine',
      spec: design('ab', 'ab'),
    })
  })

  it('takes no character into its texts that would keep it from being saved', () => {
    const store = opened()
    const { ask, edit, rename } = store.getState()
    rename(`One${BELL}\ttwo\u2028three\u200b`)
    ask({ query: `Well${BELL}?\n` })
    edit((spec) => changeRole(spec, 'a', { name: `N${BELL}`, prompt: `1\n\t2\uD800 3 👩‍👧` }))
    const { history, question } = store.getState()
    expect([history.present.name, question.query]).toEqual(['One two three', 'Well?\n'])
    expect(history.present.spec.agents[0]?.role).toMatchObject({ name: 'N', prompt: '1\n\t2 3 👩‍👧' })
    ask({ step: true })
    expect(store.getState().question).toMatchObject({ query: 'Well?\n', step: true })
  })

  it('becomes a script and a drawing again by Undo, and no agents are pasted into a script', () => {
    const store = createDesignStore('Mine', design('ab', 'ab'))
    const { edit } = store.getState()
    edit(() => ({ ...EMPTY, script: 'deliver(1)' }))
    edit((spec) => setScript(spec, 'deliver(12)'), 'script')
    edit((spec) => setScript(spec, 'deliver(123)'), 'script')
    pasteClip(store, copyOf(design('a'), new Set(['a'])))
    expect(store.getState().history.present.spec.agents).toEqual([])
    store.getState().undo()
    expect(store.getState().history.present.spec.script).toBe('deliver(1)')
    store.getState().undo()
    expect(store.getState().history.present.spec).toEqual(design('ab', 'ab'))
  })

  it('makes no step of a name that is the same once it is cleaned', () => {
    const store = opened()
    store.getState().rename(`Mine${BELL}`)
    expect(store.getState().history.past).toEqual([])
  })
})

describe('the designs of a tab', () => {
  it('are found as they were left, by who left them', () => {
    const mine = stored(design('ab'), { id: 'mine' })
    const session = sessionOf('ada', mine)
    session.store.getState().ask({ query: 'Well?' })
    expect(sessionOf('ada', { ...mine, revision: 5 })).toBe(session)
    expect(sessionOf('grace', mine)).not.toBe(session)
    forgetSession('ada', 'mine')
    expect(sessionOf('ada', mine)).not.toBe(session)
  })

  it('are not kept for ever: those of longest ago go first', () => {
    const of = (id: string) => stored(design('a'), { id })
    const [first, second] = [sessionOf('ada', of('0')), sessionOf('ada', of('1'))]
    for (let id = 2; id < 8; id += 1) sessionOf('ada', of(`${id}`))
    expect(sessionOf('ada', of('0'))).toBe(first)
    sessionOf('ada', of('8'))
    expect(sessionOf('ada', of('1'))).not.toBe(second)
  })
})
