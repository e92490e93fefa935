import { describe, expect, it } from 'vitest'

import { sampleFrames, sampleRunId } from '@/features/training/sample-run'
import type { Sample, Training } from '@/features/training/use-training'
import { currentAttempt, emptyRun } from '@/graph/run-view'
import { applyFrame } from '@/graph/tests/frames'

const sample: Sample = {
  id: 7,
  step: 3,
  index: 0,
  query: 'What is 2 + 2?',
  reference: '4',
  answer: '4',
  correct: true,
  reward: 0.9,
  tokens: 20,
  agents: 1,
  graph: {},
  details: {},
  events: [
    {
      event: 'node_sampled',
      at: 10,
      step: 1,
      kind: 'add',
      choice: 'planner',
      agent_id: 'a1',
      candidates: [],
      greedy: false,
      log_probability: -0.1,
    },
    { event: 'edges_sampled', at: 11, step: 1, agent_id: 'a1', candidates: [], log_probability: 0 },
  ],
  reward_parts: { group: 0.9, action: [0.5, 0.1], advantage: [0.2, -0.4] },
}
const job = { method: 'mashost', seed: 1, pool: 'general', pool_version: 1 } as Training

describe('a sampled system', () => {
  it('is drawn like a finished run', () => {
    const view = sampleFrames(sample, job).reduce(applyFrame, emptyRun(sampleRunId(sample)))
    const attempt = currentAttempt(view)
    expect(view.status).toBe('succeeded')
    expect(attempt?.outcome?.answer).toBe('4')
    expect(attempt?.start?.query).toBe('What is 2 + 2?')
    expect([...(attempt?.agents.keys() ?? [])]).toEqual(['a1'])
  })
})
