import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { showFrames, storedAs } from '@/components/run/tests/show'
import { RunFacts } from '@/features/run/run-facts'
import type { Frame, RunDetail } from '@/graph/frames'
import { recording, type Recording } from '@/graph/tests/frames'

const show = (name: Recording, part: Partial<RunDetail>, known: [string[], object][] = []) =>
  showFrames(storedAs(name, part), <RunFacts />, known)

const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')

describe('the checkpoint of a run', () => {
  it('leads to the training that made it', () => {
    show('self-consistency', { checkpoint: 'best' }, [
      [['checkpoint', 'best'], { job: 'j1', trained: true }],
    ])
    expect(hrefOf('best')).toBe('/training/j1?tab=checkpoints')
    expect(screen.queryByText('untrained')).toBeNull()
  })

  it('leads to all checkpoints when no training made it, and says that it is untrained', () => {
    show('self-consistency', { checkpoint: 'initial' }, [
      [['checkpoint', 'initial'], { job: null, trained: false }],
    ])
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
    showFrames(recording('self-consistency').map(own), <RunFacts />)
    const fact = screen.getByText('Temperature').parentElement
    expect(fact?.textContent).toBe('Temperaturethe server’s own for 1 agent')
    expect(fact?.title).toBe(
      'The server did not use the requested temperature. It used its own for Reasoner 2',
    )
  })

  it('is not mentioned where the servers took it', () => {
    show('self-consistency', {})
    expect(screen.queryByText('Temperature')).toBeNull()
  })
})

describe('answers that were cut', () => {
  it('are counted, with who gave them', () => {
    show('self-consistency', { replies: 5, cut_replies: 1, cut_agents: ['s2'] })
    const fact = screen.getByText('Cut replies').parentElement
    expect(fact?.textContent).toBe('Cut replies1 of 5 s2')
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
