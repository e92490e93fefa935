import { describe, expect, it } from 'vitest'

import { createRunStore, isEarlier } from '@/components/run/run-store'
import { FAMILIES } from '@/families/all'
import type { Frame } from '@/graph/frames'
import { detailOf, recording, type Recording } from '@/graph/tests/frames'
import { tidy } from '@/graph/tidy'

const idOf = (frames: readonly Frame[]): string => frames[0]?.run ?? ''

function storeAfter(name: Recording, narrow = false) {
  const frames = recording(name)
  const store = createRunStore(idOf(frames), FAMILIES)
  store.getState().setNarrow(narrow)
  return { store, frames }
}

describe('the store of a run page', () => {
  it('moves no node while the run grows, frame by frame', () => {
    const { store, frames } = storeAfter('mashost')
    let before = store.getState().positions
    for (const frame of frames) {
      store.getState().applyFrames([frame])
      const after = store.getState().positions
      for (const [id, point] of before) expect(after.get(id)).toEqual(point)
      before = after
    }
    expect(before.size).toBe(9)
  })

  it('keeps where a person put a node', () => {
    const { store, frames } = storeAfter('mashost')
    store.getState().applyFrames(frames.slice(0, 30))
    store.getState().moveNode('a1', { x: 17, y: 300 })
    store.getState().applyFrames(frames.slice(30))
    expect(store.getState().positions.get('a1')).toEqual({ x: 17, y: 300 })
  })

  it('gives the place of a removed agent away when a person tidies', () => {
    const { store, frames } = storeAfter('mashost')
    store.getState().applyFrames(frames)
    store.getState().tidyUp(tidy)
    expect([...store.getState().positions.keys()].at(-1)).toBe('a3')
  })

  it('leaves no hole for a removed agent in a run that had ended when it was opened', () => {
    const { store, frames } = storeAfter('mashost')
    store.getState().applyFrames(frames)
    const { positions } = store.getState()
    expect([...positions.keys()].at(-1)).toBe('a3')
    const places = new Set([...positions.values()].map(({ x, y }) => `${x} ${y}`))
    expect(places.size).toBe(positions.size)
  })

  it('fills a narrow canvas downwards, unless many agents stand side by side', () => {
    const chain = storeAfter('mashost', true)
    chain.store.getState().applyFrames(chain.frames)
    expect(chain.store.getState().direction).toBe('down')
    const abreast = storeAfter('self-consistency', true)
    for (const frame of abreast.frames) abreast.store.getState().applyFrames([frame])
    expect(abreast.store.getState().direction).toBe('right')
  })

  it('draws the agents again only when one of them changed', () => {
    const { store, frames } = storeAfter('mashost')
    store.getState().applyFrames(frames.slice(0, 5))
    const { shape } = store.getState()
    expect(frames[5]?.type).toBe('delta')
    store.getState().applyFrames(frames.slice(5, 6))
    expect(store.getState().shape).toBe(shape)
  })

  it('lets nothing enter that a snapshot brought', () => {
    const { store, frames } = storeAfter('mashost')
    const detail = detailOf(frames)
    const events = frames.flatMap((frame) => (frame.type === 'trace' ? [frame] : []))
    store
      .getState()
      .applyFrames([{ type: 'snapshot', run: detail.id, detail, events, partial: {} }])
    const { known, shape } = store.getState()
    expect(shape.nodes.every((node) => known.has(node.id))).toBe(true)
  })

  it('shows any moment of its replay without moving a node, until the trace goes on', () => {
    const { store, frames } = storeAfter('mashost')
    store.getState().applyFrames(frames)
    const { attempt, shape, positions, seek } = store.getState()
    seek(3)
    const then = store.getState()
    expect(then.moment).toBe(3)
    expect(then.shape.nodes.length).toBeLessThan(shape.nodes.length)
    expect(then.shape.nodes.some(({ kind }) => kind === 'answer')).toBe(false)
    expect(then.positions).toBe(positions)
    const { detail, status } = then.view
    if (!detail) throw new Error('no stored run')
    store.getState().applyFrames([{ type: 'status', run: then.view.runId, detail: { ...detail } }])
    expect(store.getState().moment).toBe(3)
    expect(store.getState().view.status).toBe(status)
    store.getState().setNarrow(true)
    expect([...store.getState().positions.keys()]).toEqual([...positions.keys()])
    store.getState().tidyUp(tidy)
    expect(store.getState().positions.size).toBe(positions.size)
    seek(null)
    expect(store.getState().attempt).toBe(attempt)
    expect(store.getState().shape).toEqual(shape)
    seek(2)
    const last = attempt?.events.last
    if (!last) throw new Error('no event')
    const late = { ...last, seq: last.seq + 1, id: `${last.attempt}.${last.seq + 1}` }
    store.getState().applyFrames([{ type: 'trace', run: then.view.runId, ...late }])
    expect(store.getState().moment).toBeNull()
    expect(store.getState().shape.nodes).toHaveLength(shape.nodes.length)
  })
  it('shows an earlier attempt as it ended, until the current one is asked for again', () => {
    const { store, frames } = storeAfter('lost-attempt')
    store.getState().applyFrames(frames)
    const last = store.getState()
    expect(last.attempt?.attempt).toBe(2)
    last.go(1, null)
    const earlier = store.getState()
    expect(earlier.attempt?.attempt).toBe(1)
    expect(earlier.attempt?.agents.get('a1')?.message).not.toBe(
      last.attempt?.agents.get('a1')?.message,
    )
    expect(earlier.shape.nodes.some(({ kind }) => kind === 'answer')).toBe(false)
    expect([...earlier.positions.keys()].sort()).toEqual(
      earlier.shape.nodes.map(({ id }) => id).sort(),
    )
    expect(isEarlier(earlier)).toBe(true)
    earlier.go(1, 2)
    expect(store.getState()).toMatchObject({ moment: 2, attempt: { attempt: 1 } })
    earlier.go(2, null)
    expect(store.getState()).toMatchObject({ chosen: null, moment: null })
    expect(store.getState().attempt).toBe(last.attempt)
    expect(store.getState().shape).toEqual(last.shape)
  })

  it('keeps showing the attempt that was chosen while another one goes on', () => {
    const { store, frames } = storeAfter('lost-attempt')
    const second = frames.findIndex((frame) => frame.type === 'trace' && frame.attempt === 2)
    store.getState().applyFrames(frames.slice(0, second + 1))
    store.getState().go(1, null)
    const { attempt, shape } = store.getState()
    for (const frame of frames.slice(second + 1)) store.getState().applyFrames([frame])
    expect(store.getState().attempt).toBe(attempt)
    expect(store.getState().shape).toBe(shape)
    expect(store.getState().view.status).toBe('succeeded')
  })
})
