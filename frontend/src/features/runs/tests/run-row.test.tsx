import { cleanup, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { RunRow } from '@/features/runs/run-row'
import type { Selection } from '@/features/runs/selection'
import type { RunSummary } from '@/lib/api/queries'
import { show } from '@/lib/tests/show'

const run = (part: Partial<RunSummary>): RunSummary =>
  ({
    id: 'r1',
    status: 'succeeded',
    attempt: 1,
    max_attempts: 3,
    method: 'direct',
    method_config: {},
    query: '2 + 2?',
    answer: null,
    correct: null,
    failure: null,
    agent_count: 1,
    usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0 },
    seconds: 1,
    final_cut: null,
    annotations: [],
    created_by: 'ada',
    created_at: '2026-01-01T00:00:00Z',
    ...part,
  }) as RunSummary

const selection = { has: () => false, toggle: () => undefined } as unknown as Selection

const shown = (part: Partial<RunSummary>) =>
  show(<RunRow run={run(part)} selection={selection} />, { known: [[['methods'], []]] })

describe('the count of agents in the list', () => {
  const noteOf = (part: Partial<RunSummary>): string => {
    shown({ agent_count: 6, ...part })
    return screen.getByText('Agents').parentElement?.textContent.trim() ?? ''
  }

  it.each([
    ['mashost', { final_answer: 'summary' }, 'Agents 6 + summary'],
    ['design', { summary: true }, 'Agents 6 + summary'],
    ['debate', { agents: 3, rounds: 2 }, 'Agents 6 in 2 rounds'],
    ['debate', { agents: 6, rounds: 1 }, 'Agents 6'],
    ['mashost', { final_answer: 'agent' }, 'Agents 6'],
    ['self_refine', { rounds: 2 }, 'Agents 6'],
  ])('of %s with %o says what it counts', (method, method_config, said) => {
    expect(noteOf({ method, method_config })).toBe(said)
  })
})

describe('the answer of a run in the list', () => {
  it('that was judged wrong without being readable says both', () => {
    shown({ correct: false })
    expect(screen.getByText('no readable answer')).toBeTruthy()
    expect(screen.getByText('Wrong')).toBeTruthy()
  })

  it('that nobody judged says no verdict', () => {
    shown({})
    expect(screen.getByText('no readable answer')).toBeTruthy()
    expect(screen.queryByText('Wrong')).toBeNull()
  })

  it('of a run that goes on is not there yet', () => {
    shown({ status: 'running' })
    expect(screen.queryByText('no readable answer')).toBeNull()
  })

  it('from a message that was cut is marked, and otherwise not', () => {
    shown({ answer: '4', correct: true, final_cut: true })
    expect(screen.getByText('cut')).toBeTruthy()
    cleanup()
    shown({ answer: '4', correct: true, final_cut: null })
    expect(screen.queryByText('cut')).toBeNull()
  })
})
