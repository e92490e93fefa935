import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { CompareView } from '@/features/evaluations/compare-view'
import { compared, evaluation, pageOf, result, showAt } from '@/features/evaluations/tests/support'
import { detailOf, recording, type Recording } from '@/graph/tests/frames'
import type { Frame } from '@/lib/stream/frames'
import * as stream from '@/lib/stream/stream'
import { playApi, type Answer, type Sent } from '@/lib/tests/play-api'

/** What the stream tells of each run, played from recordings. */
const playedAs = (run: string, name: Recording): Frame[] =>
  recording(name).map((frame) => ({ ...frame, run }))
const told: Record<string, Frame[]> = {
  'run-4': playedAs('run-4', 'self-consistency'),
  'run-104': playedAs('run-104', 'mashost'),
}

beforeEach(
  () =>
    void vi.spyOn(stream, 'subscribe').mockImplementation((id, listen) => {
      listen(told[id] ?? [])
      return () => undefined
    }),
)

const row = (id: number) =>
  compared(id, {
    left: result(id),
    right: result(id + 100, { arm: 'team', task: result(id).task }),
  })

function answer({ path, query }: Sent): Answer | undefined {
  const run = /^\/api\/runs\/(.+)$/.exec(path)?.[1]
  if (run && told[run]) return { body: detailOf(told[run]) }
  if (path.endsWith('/summary')) return { body: { arms: [], pairs: [], at_equal_tokens: [] } }
  if (!path.endsWith('/compare')) return undefined
  const task = query.get('task')
  return pageOf(task === null ? [row(3), row(4)] : task === '4' ? [row(4)] : [])
}

const paneOf = (arm: string) => screen.findByRole('article', { name: `Trace of task 5 by ${arm}` })

describe('two arms side by side', () => {
  it('show both traces of a task, and come back to the rows', async () => {
    playApi(answer)
    const { router } = showAt('/?left=direct&right=team', <CompareView evaluation={evaluation()} />)
    fireEvent.click(await screen.findByRole('link', { name: 'Both traces of task 5' }))
    for (const [arm, run] of [
      ['direct', 'run-4'],
      ['team', 'run-104'],
    ] as const) {
      const pane = within(await paneOf(arm))
      expect(await pane.findByRole('tree', { name: 'Trace' })).toBeTruthy()
      expect(pane.getByRole('link').getAttribute('href')).toBe(`/runs/${run}`)
    }
    expect(router.state.location.search).toBe('?left=direct&right=team&task=4')

    fireEvent.click(screen.getByRole('button', { name: 'All tasks' }))
    await screen.findByRole('link', { name: 'Both traces of task 5' })
    expect(router.state.historyAction).toBe('POP')
  })

  it('open a linked task, whose rows are one press away', async () => {
    playApi(answer)
    const { router } = showAt('/?task=4', <CompareView evaluation={evaluation()} />)
    await paneOf('direct')
    fireEvent.click(screen.getByRole('button', { name: 'All tasks' }))
    await screen.findByRole('link', { name: 'Both traces of task 4' })
    expect(router.state.location.search).toBe('')
  })

  it('say so when not both have answered the task', async () => {
    playApi(answer)
    showAt('/?task=3', <CompareView evaluation={evaluation()} />)
    expect(await screen.findByText('An answer to this task is missing')).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'Next task' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Previous task' })).toBeTruthy()
  })

  it('keep the rows when a page fails', async () => {
    playApi((sent) => {
      if (!sent.path.endsWith('/compare')) return answer(sent)
      return sent.query.has('cursor') ? { status: 500 } : pageOf([row(3)], 'b')
    })
    showAt('/', <CompareView evaluation={evaluation()} />)
    expect(await screen.findByText('The rest could not be loaded')).toBeTruthy()
    expect(screen.getByText('answer 3')).toBeTruthy()
  })

  it('name the arms in the kinds of outcome', async () => {
    playApi(answer)
    showAt('/?outcome=only_left', <CompareView evaluation={evaluation()} />)
    await waitFor(() =>
      expect(screen.getByRole('button', { name: /Only direct right/ })).toBeTruthy(),
    )
  })
})
