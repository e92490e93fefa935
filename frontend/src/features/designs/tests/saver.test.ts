import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createDesignStore } from '@/features/designs/design-store'
import { addAgent } from '@/features/designs/edits'
import { createSaver, type Remote } from '@/features/designs/saver'
import type { Design } from '@/features/designs/use-designs'
import { ApiError } from '@/lib/api/errors'
import { useToasts } from '@/lib/toasts'

import { design, role, stored } from './support'

const QUIET = 600
const FIRST = stored(design('a'))

const refusal = (status: number, code: string): ApiError =>
  new ApiError({ status, code, message: code, remedy: '', fields: [], retryAfter: null })

/** A server that counts revisions and refuses old ones; `fails` is thrown once at the next save, with
 * `arrives` after it was stored; `down` is thrown at everything; a save takes `takes` milliseconds. */
function server() {
  const saved: Parameters<Remote['save']>[0][] = []
  const state = {
    fails: null as ApiError | null,
    arrives: false,
    down: null as ApiError | null,
    takes: 0,
    stored: FIRST,
  }
  const arrive = ({ name, draft }: { name?: string; draft: Design['draft'] }, by = 'ada'): void => {
    const { name: old, revision } = state.stored
    const called = name ?? old
    state.stored = stored(draft, { name: called, revision: revision + 1, updated_by: by })
  }
  const answer = <T>(give: () => T): Promise<T> =>
    state.down ? Promise.reject(state.down) : Promise.resolve(give())
  const save: Remote['save'] = async (body) => {
    if (state.takes > 0) await new Promise((done) => setTimeout(done, state.takes))
    if (state.down) return Promise.reject(state.down)
    const { fails, arrives } = state
    state.fails = null
    if (fails && !arrives) return Promise.reject(fails)
    if (body.revision !== state.stored.revision)
      return Promise.reject(refusal(409, 'design_changed'))
    saved.push(body)
    arrive(body)
    // As JSON makes it of it: equal, and not the same.
    return fails ? Promise.reject(fails) : Promise.resolve(structuredClone(state.stored))
  }
  const remote: Remote = {
    save,
    read: () => answer(() => structuredClone(state.stored)),
    head: () => answer(() => state.stored),
  }
  return { saved, state, arrive, remote }
}

function opened() {
  const back = server()
  const store = createDesignStore(FIRST.name, FIRST.draft)
  const saver = createSaver(FIRST, store, back.remote)
  const stop = saver.start()
  stops.push(stop)
  const draw = (): void => store.getState().edit((spec) => addAgent(spec, role())[0])
  const drawAndRest = async (): Promise<void> => {
    draw()
    await pass(QUIET + 10)
  }
  const drawn = () => store.getState().history.present
  return {
    ...back,
    store,
    saver,
    stop,
    draw,
    drawAndRest,
    drawn,
    now: () => saver.getState().state,
  }
}

const stops: (() => void)[] = []

beforeEach(() => {
  vi.useFakeTimers()
  useToasts.setState({ toasts: [] })
})
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

describe('saving', () => {
  it('waits until nothing changes for a moment, then sends the newest with its revision', async () => {
    const { draw, now, saved, store } = opened()
    draw()
    await pass(QUIET - 10)
    draw()
    expect(now()).toBe('waiting')
    await pass(QUIET - 10)
    expect(saved).toEqual([])
    await pass(20)
    expect(saved.map(({ revision, draft }) => [revision, draft.agents.length])).toEqual([[1, 3]])
    expect(now()).toBe('saved')
    store.getState().rename('Other')
    await pass(QUIET + 10)
    expect(saved.map(({ revision, name }) => [revision, name])).toEqual([
      [1, 'Mine'],
      [2, 'Other'],
    ])
    store.getState().undo()
    await pass(QUIET + 10)
    expect(saved.at(-1)).toMatchObject({ revision: 3, name: 'Mine' })
    expect(saved.at(-1)?.draft.agents).toHaveLength(3)
  })

  it('sends nothing where nothing changed, nor for what is chosen', async () => {
    const { saved, store } = opened()
    store.getState().select({ agents: new Set(['a']) })
    await pass(5_000)
    expect(saved).toEqual([])
  })

  it('can be had at once, before a run', async () => {
    const { draw, saver, saved } = opened()
    draw()
    expect(await saver.flush()).toBe(2)
    expect(saved).toHaveLength(1)
    await pass(5_000)
    expect(saved).toHaveLength(1)
    expect(await saver.flush()).toBe(2)
  })

  it('goes on after it was asked for with nothing to save', async () => {
    const { drawAndRest, saved, saver } = opened()
    expect(await saver.flush()).toBe(1)
    await drawAndRest()
    expect(saved).toHaveLength(1)
  })

  it('tries again what did not arrive', async () => {
    const { drawAndRest, now, saved, state } = opened()
    state.fails = refusal(0, 'unreachable')
    await drawAndRest()
    expect([now(), saved.length]).toEqual(['failed', 0])
    await pass(4_100)
    expect([now(), saved.length]).toEqual(['saved', 1])
  })

  it('leaves what the server refuses until it changes', async () => {
    const { draw, drawAndRest, now, saved, state } = opened()
    state.fails = refusal(400, 'too_large')
    draw()
    await pass(20_000)
    expect([now(), saved.length]).toEqual(['refused', 0])
    await drawAndRest()
    expect([now(), saved.length]).toEqual(['saved', 1])
  })

  it('never overwrites what somebody else saved, until a person decides', async () => {
    const { arrive, draw, drawAndRest, drawn, now, saved, saver, state } = opened()
    arrive({ name: 'Theirs', draft: design('xy') }, 'grace')
    await drawAndRest()
    draw()
    await pass(20_000)
    expect([now(), saved.length]).toEqual(['conflict', 0])
    await expect(saver.flush()).rejects.toThrow('design_changed')
    expect(drawn().spec.agents).toHaveLength(3)

    saver.adopt(state.stored)
    expect([now(), drawn().name]).toEqual(['saved', 'Theirs'])
    await drawAndRest()
    expect(saved.map(({ revision }) => revision)).toEqual([2])
  })

  it('sends what is left when the designer is closed', async () => {
    const { draw, saved, stop } = opened()
    draw()
    stop()
    await pass(1)
    expect(saved).toHaveLength(1)
  })

  it('warns before the window closes over what is not saved', async () => {
    const { draw } = opened()
    const closing = (): boolean => {
      const event = new Event('beforeunload', { cancelable: true })
      globalThis.dispatchEvent(event)
      return event.defaultPrevented
    }
    expect(closing()).toBe(false)
    draw()
    expect(closing()).toBe(true)
    await pass(QUIET + 10)
    expect(closing()).toBe(false)
  })

  it('saves at the latest after three seconds of drawing without a pause', async () => {
    const { draw, saved } = opened()
    for (let passed = 0; passed < 6_500; passed += 100) {
      draw()
      await pass(100)
    }
    expect(saved).toHaveLength(2)
  })

  it('goes on where its own save was stored and only the answer was lost', async () => {
    const { draw, drawAndRest, drawn, now, saved, state } = opened()
    state.fails = refusal(0, 'unreachable')
    state.arrives = true
    await drawAndRest()
    draw()
    expect(now()).toBe('waiting')
    await pass(5_000)
    expect(now()).toBe('saved')
    expect(saved.map(({ revision, draft }) => [revision, draft.agents.length])).toEqual([
      [1, 2],
      [2, 3],
    ])
    expect(drawn().spec.agents).toHaveLength(3)
  })

  it('is in conflict where somebody saved after the answer was lost', async () => {
    const { arrive, drawAndRest, now, state } = opened()
    state.fails = refusal(0, 'unreachable')
    state.arrives = true
    await drawAndRest()
    arrive({ draft: design('xyz') }, 'grace')
    await pass(5_000)
    expect(now()).toBe('conflict')
  })

  it('saves what is undone while it is being saved', async () => {
    const { draw, now, saver, saved, state, store } = opened()
    state.takes = 300
    draw()
    await pass(QUIET + 100)
    expect(now()).toBe('saving')
    store.getState().undo()
    expect(saver.isUnsaved()).toBe(false)
    await pass(2_000)
    expect([now(), saved.length, state.stored.draft.agents.length]).toEqual(['saved', 2, 1])
  })

  it('is saved again once what was refused is undone', async () => {
    const { drawAndRest, now, saved, state, store } = opened()
    state.fails = refusal(400, 'too_large')
    await drawAndRest()
    expect(now()).toBe('refused')
    store.getState().undo()
    await pass(QUIET + 10)
    expect([now(), saved.length]).toEqual(['saved', 0])
  })

  it('takes back what arrived without an answer and was undone since', async () => {
    const { drawAndRest, now, saver, state, store } = opened()
    state.fails = refusal(0, 'unreachable')
    state.arrives = true
    await drawAndRest()
    store.getState().undo()
    await pass(QUIET + 10)
    await saver.look()
    await pass(QUIET + 10)
    expect([now(), state.stored.revision, state.stored.draft.agents.length]).toEqual([
      'saved',
      3,
      1,
    ])
  })

  it('keeps trying when the session has ended, and at once when somebody comes back', async () => {
    const { draw, drawAndRest, now, saved, state } = opened()
    state.down = refusal(401, 'not_authenticated')
    await drawAndRest()
    draw()
    expect(now()).toBe('loggedOut')
    state.down = null
    globalThis.dispatchEvent(new Event('focus'))
    await pass(1)
    expect([now(), saved.length]).toEqual(['saved', 1])

    state.down = refusal(401, 'not_authenticated')
    await drawAndRest()
    state.down = null
    await pass(15_000)
    expect([now(), saved.length]).toEqual(['saved', 2])
  })

  it('sends no name that no design can have, and everything else', async () => {
    const { drawAndRest, now, saved, state, store } = opened()
    store.getState().rename('')
    await drawAndRest()
    expect([now(), saved.length, state.stored.name]).toEqual(['saved', 1, 'Mine'])
    expect(saved[0]).not.toHaveProperty('name')
    store.getState().rename('A\u0007 B\tC')
    await pass(QUIET + 10)
    expect(state.stored.name).toBe('A B C')
  })

  it('saves the rest where the server alone refuses the name', async () => {
    const { drawAndRest, now, saved, state } = opened()
    const problem = { status: 400, code: 'invalid', message: '', remedy: '', retryAfter: null }
    const fields = [{ field: 'name', code: 'bad_name', message: '' }]
    state.fails = new ApiError({ ...problem, fields })
    await drawAndRest()
    expect(now()).toBe('saved')
    expect(saved[0]).not.toHaveProperty('name')
  })
})

describe('what others save', () => {
  it('is shown where nothing is unsaved here, and can be undone', async () => {
    const { arrive, drawAndRest, drawn, now, saved, state, store } = opened()
    arrive({ name: 'Theirs', draft: design('xy') }, 'grace')
    globalThis.dispatchEvent(new Event('focus'))
    await pass(1)
    expect([now(), drawn().name, saved.length]).toEqual(['saved', 'Theirs', 0])
    expect(useToasts.getState().toasts.map(({ message }) => message)).toEqual([
      expect.stringContaining('grace saved this design'),
    ])
    await drawAndRest()
    expect(state.stored.draft.agents).toHaveLength(3)
    store.getState().undo()
    store.getState().undo()
    expect(drawn()).toMatchObject({ name: 'Mine' })
  })

  it('is asked for every now and then', async () => {
    const { arrive, drawn } = opened()
    arrive({ name: 'Theirs', draft: design('xy') }, 'grace')
    await pass(20_100)
    expect(drawn().name).toBe('Theirs')
  })

  it('is a conflict before the own save fails', async () => {
    const { arrive, draw, drawn, now, saver } = opened()
    arrive({ name: 'Theirs', draft: design('xy') }, 'grace')
    draw()
    await saver.look()
    expect([now(), drawn().name]).toEqual(['conflict', 'Mine'])
    expect(saver.getState().error?.message).toContain('grace saved this design')
    await pass(10_000)
    expect(now()).toBe('conflict')
  })

  it('that it was deleted is told, and nothing is sent any more', async () => {
    const { draw, now, saved, saver, state } = opened()
    state.down = refusal(404, 'not_found')
    await saver.look()
    expect(now()).toBe('gone')
    expect(saver.isUnsaved()).toBe(false)
    state.down = null
    draw()
    await pass(10_000)
    expect([now(), saved.length, saver.isUnsaved()]).toEqual(['gone', 0, true])
    await expect(saver.flush()).rejects.toThrow('not_found')
    saver.abandon()
    expect(saver.isUnsaved()).toBe(false)
  })

  it('is met when the page opens again, in the middle of a save too', async () => {
    const { draw, drawn, now, saver, state } = opened()
    draw()
    const going = saver.flush()
    saver.meet(stored(design('xy'), { revision: 9, updated_by: 'grace' }))
    await going
    expect([now(), state.stored.revision]).toEqual(['saved', 2])
    saver.meet(FIRST)
    expect(drawn().spec.agents).toHaveLength(2)
    saver.meet(stored(design('xy'), { name: 'New', revision: 9, updated_by: 'grace' }))
    expect(drawn().name).toBe('New')
  })
})
