import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createDesignStore } from '@/features/designs/design-store'
import { addAgent } from '@/features/designs/edits'
import { createSaver, type Save } from '@/features/designs/saver'
import { ApiError } from '@/lib/api/errors'

import { design, role, stored } from './support'

const QUIET = 600
const FIRST = stored(design('a'))

const refusal = (status: number, code: string): ApiError =>
  new ApiError({ status, code, message: code, remedy: '', fields: [], retryAfter: null })

/** A server that counts revisions; `fails` is thrown once at the next save. */
function server() {
  const saved: Parameters<Save>[0][] = []
  const state = { fails: null as ApiError | null, revision: 1 }
  const save: Save = (body) => {
    if (state.fails) {
      const error = state.fails
      state.fails = null
      return Promise.reject(error)
    }
    saved.push(body)
    state.revision += 1
    const { name, draft } = body
    return Promise.resolve(stored(draft, { name, revision: state.revision }))
  }
  return { saved, state, save }
}

function opened() {
  const back = server()
  const store = createDesignStore(FIRST.name, FIRST.draft)
  const saver = createSaver(FIRST, store, back.save)
  const stop = saver.start()
  const draw = (): void => store.getState().edit((spec) => addAgent(spec, role())[0])
  return { ...back, store, saver, stop, draw, now: () => saver.getState().state }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
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
    const { draw, saver, saved } = opened()
    expect(await saver.flush()).toBe(1)
    draw()
    await pass(QUIET + 10)
    expect(saved).toHaveLength(1)
  })

  it('tries again what did not arrive', async () => {
    const { draw, now, saved, state } = opened()
    state.fails = refusal(0, 'unreachable')
    draw()
    await pass(QUIET + 10)
    expect([now(), saved.length]).toEqual(['failed', 0])
    await pass(4_100)
    expect([now(), saved.length]).toEqual(['saved', 1])
  })

  it('leaves what the server refuses until it changes', async () => {
    const { draw, now, saved, state } = opened()
    state.fails = refusal(400, 'too_large')
    draw()
    await pass(20_000)
    expect([now(), saved.length]).toEqual(['refused', 0])
    draw()
    await pass(QUIET + 10)
    expect([now(), saved.length]).toEqual(['saved', 1])
  })

  it('never overwrites what somebody else saved, until a person decides', async () => {
    const { draw, now, saved, state, store, saver } = opened()
    state.fails = refusal(409, 'design_changed')
    draw()
    await pass(QUIET + 10)
    draw()
    await pass(20_000)
    expect([now(), saved.length]).toEqual(['conflict', 0])
    await expect(saver.flush()).rejects.toThrow('design_changed')
    expect(store.getState().history.present.spec.agents).toHaveLength(3)

    saver.adopt(stored(design('xy'), { revision: 7, name: 'Theirs' }))
    expect([now(), store.getState().history.present.name]).toEqual(['saved', 'Theirs'])
    draw()
    await pass(QUIET + 10)
    expect(saved.map(({ revision }) => revision)).toEqual([7])
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
})
