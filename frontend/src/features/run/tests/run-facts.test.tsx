import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'

import { RunContext } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { FAMILIES } from '@/families/registry'
import { RunFacts } from '@/features/run/run-facts'
import type { Frame, RunDetail } from '@/graph/frames'
import { recording, type Recording } from '@/graph/tests/frames'

/** The recording's run with some of its stored values changed, and what is known of checkpoints. */
function show(name: Recording, part: Partial<RunDetail>, checkpoints: Record<string, object> = {}) {
  const frames = recording(name).map((frame) =>
    'detail' in frame ? { ...frame, detail: { ...frame.detail, ...part } } : frame,
  )
  showFrames(frames, checkpoints)
}

function showFrames(frames: readonly Frame[], checkpoints: Record<string, object> = {}) {
  const store = createRunStore(frames[0]?.run ?? '', FAMILIES)
  store.getState().applyFrames(frames)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(['methods'], [])
  for (const [key, value] of Object.entries(checkpoints))
    client.setQueryData(['checkpoint', key], value)
  render(
    <MemoryRouter>
      <QueryClientProvider client={client}>
        <RunContext value={store}>
          <RunFacts />
        </RunContext>
      </QueryClientProvider>
    </MemoryRouter>,
  )
}

const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')

describe('the checkpoint of a run', () => {
  it('leads to the training that made it', () => {
    show('self-consistency', { checkpoint: 'best' }, { best: { job: 'j1', trained: true } })
    expect(hrefOf('best')).toBe('/training/j1?tab=checkpoints')
    expect(screen.queryByText('untrained')).toBeNull()
  })

  it('leads to all checkpoints when no training made it, and says that it is untrained', () => {
    show('self-consistency', { checkpoint: 'initial' }, { initial: { job: null, trained: false } })
    expect(hrefOf('initial')).toBe('/training?tab=checkpoints&find=initial')
    expect(screen.getByText('untrained')).toBeTruthy()
  })

  it('is untrained where a method that learns was given none', () => {
    show('mashost', { checkpoint: null })
    expect(screen.getByText('Checkpoint').nextSibling?.textContent).toBe(' untrained')
  })

  it('is not mentioned of a method that learns nothing', () => {
    show('self-consistency', { checkpoint: null })
    expect(screen.queryByText('Checkpoint')).toBeNull()
  })
})

describe('the temperature', () => {
  const own = (frame: Frame): Frame =>
    'event' in frame && frame.event.event === 'agent_finished' && frame.event.agent_id === 's2'
      ? { ...frame, event: { ...frame.event, own_temperature: true } }
      : frame

  it('stands where a server used its own', () => {
    showFrames(recording('self-consistency').map(own))
    const fact = screen.getByText('Temperature').parentElement
    expect(fact?.textContent).toBe('Temperaturethe server’s own for 1 agent')
    expect(fact?.title).toBe(
      'The server did not take the temperature asked for. Sampled at its own: Reasoner 2',
    )
  })

  it('is not mentioned where the servers took it', () => {
    show('self-consistency', {})
    expect(screen.queryByText('Temperature')).toBeNull()
  })
})

describe('a run of an evaluation', () => {
  const cell = { evaluation: 'e1', evaluation_name: 'MAS against one', task_index: 4 }

  it('leads back to its task', () => {
    show('self-consistency', cell)
    expect(hrefOf('MAS against one, task 5')).toBe('/evaluations/e1?tab=answers&task=4')
  })

  it('leads to the evaluation alone when the task was answered again since', () => {
    show('self-consistency', { ...cell, task_index: null })
    expect(hrefOf('MAS against one')).toBe('/evaluations/e1')
  })

  it('is none where a person asked', () => {
    show('self-consistency', { evaluation: null })
    expect(screen.queryByText('Evaluation')).toBeNull()
  })
})
