import { beforeEach, describe, expect, it, vi } from 'vitest'

import {
  createChecker,
  LONGEST_MS,
  QUIET_MS,
  type Meaning,
  type Problems,
} from '@/features/designs/checker'
import { createDesignStore } from '@/features/designs/design-store'
import { addAgent, changeRole, type DesignSpec } from '@/features/designs/edits'
import { createSaver } from '@/features/designs/saver'
import { ApiError } from '@/lib/api/errors'

import { design, role, stored } from './support'

const problem = (agent_id: string, message = 'wrong'): Problems[number] => ({
  severity: 'error',
  code: 'no_prompt',
  message,
  remedy: '',
  agent_id,
  line: null,
})
const MEANING: Meaning = { blocks: [], edges: [], delivers: [], complete: true }
const offline = new ApiError({
  status: 0,
  code: 'unreachable',
  message: '',
  remedy: '',
  fields: [],
  retryAfter: null,
})

interface Asked {
  readonly draft: DesignSpec
  readonly signal: AbortSignal
  readonly answer: (problems: Problems) => void
  readonly fail: (error: Error) => void
}

function opened(problems: Problems = []) {
  const first = stored(design('ab'), { problems: [...problems] })
  const store = createDesignStore(first.name, first.draft)
  const away = (): Promise<never> => Promise.reject(offline)
  const saver = createSaver(first, store, { save: away, read: away, head: away })
  const asked: Asked[] = []
  const checker = createChecker(
    { problems, meaning: null },
    {
      design: store,
      saver,
      check: (draft, signal) =>
        new Promise((take, fail) => {
          signal.addEventListener('abort', () => fail(new DOMException('', 'AbortError')))
          const answer = (problems: Problems): void => take({ problems, meaning: MEANING })
          asked.push({ draft, signal, answer, fail })
        }),
    },
  )
  const stop = checker.start()
  const type = (name: string): void =>
    store.getState().edit((spec) => changeRole(spec, 'a', { name }), 'a name')
  const typed = async (name: string): Promise<void> => {
    type(name)
    await pass(QUIET_MS)
  }
  return { store, saver, checker, asked, stop, type, typed }
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

beforeEach(() => {
  vi.useFakeTimers()
})
describe('problems while somebody draws', () => {
  it('are asked for a moment after the last change', async () => {
    const { asked, checker, type, store } = opened()
    type('P')
    await pass(QUIET_MS - 10)
    type('Pl')
    await pass(QUIET_MS - 10)
    expect(asked).toEqual([])
    await pass(10)
    expect(asked.map(({ draft }) => draft)).toEqual([store.getState().history.present.spec])
    asked[0]?.answer([problem('a')])
    await pass(0)
    expect(checker.getState()).toMatchObject({ problems: [problem('a')], meaning: MEANING })
  })

  it('are asked for every second while there is no pause, and not before an answer is there', async () => {
    const { asked, type } = opened()
    const keys = async (count: number): Promise<void> => {
      for (let key = 0; key < count; key += 1) {
        type(`${asked.length} ${key}`)
        await pass(100)
      }
    }
    await keys(LONGEST_MS / 100)
    expect(asked).toHaveLength(1)
    await keys(20)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.signal.aborted).toBe(false)
    asked[0]?.answer([])
    await pass(0)
    await pass(0)
    expect(asked).toHaveLength(2)
  })

  it('are those of the newest draft once there is a pause: an older question is given up', async () => {
    const { asked, checker, typed } = opened()
    await typed('one')
    await typed('two')
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
    asked[0]?.answer([problem('a', 'old')])
    asked[1]?.answer([problem('a', 'new')])
    await pass(0)
    expect(checker.getState().problems.map(({ message }) => message)).toEqual(['new'])
  })

  it('stay as they are without a connection, and come with the next change', async () => {
    const { asked, checker, typed } = opened([problem('a')])
    await typed('one')
    asked[0]?.fail(offline)
    await pass(5_000)
    expect(checker.getState().problems).toEqual([problem('a')])
    await typed('two')
    asked[1]?.answer([])
    await pass(0)
    expect(checker.getState().problems).toEqual([])
  })

  it('are told while nothing can be saved because somebody else saved first', async () => {
    const { asked, checker, saver, typed } = opened()
    saver.setState({ state: 'conflict', error: offline })
    await typed('mine')
    asked[0]?.answer([problem('b')])
    await pass(0)
    expect(checker.getState().problems).toEqual([problem('b')])
  })

  it('come with what is saved, which makes asking needless', async () => {
    const { asked, checker, saver } = opened()
    const theirs = stored(addAgent(design('ab'), role())[0], { problems: [problem('a1')] })
    saver.adopt(theirs)
    await pass(5_000)
    expect(asked).toEqual([])
    expect(checker.getState().problems).toEqual([problem('a1')])
  })

  it('of an agent are the same list while they are the same', async () => {
    const { asked, checker, typed } = opened([problem('a'), problem('b')])
    const before = checker.getState().ofAgent
    await typed('one')
    asked[0]?.answer([problem('a', 'another'), problem('b')])
    await pass(0)
    const now = checker.getState().ofAgent
    expect(now.get('b')).toBe(before.get('b'))
    expect(now.get('a')).not.toBe(before.get('a'))
  })

  it('are asked for where one comes back to what was left unsaved', async () => {
    const { asked, checker, stop, type } = opened()
    type('one')
    stop()
    await pass(5_000)
    expect(asked).toEqual([])
    checker.start()
    await pass(QUIET_MS)
    expect(asked).toHaveLength(1)
  })

  it('are not asked for by a page that was left', async () => {
    const { asked, stop, type, typed } = opened()
    await typed('one')
    type('two')
    stop()
    await pass(5_000)
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true])
  })
})
