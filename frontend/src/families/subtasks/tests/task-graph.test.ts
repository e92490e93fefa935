import { describe, expect, it } from 'vitest'

import { FAMILIES } from '@/families/all'
import type { Frame, RunEvent } from '@/graph/frames'
import { Replay } from '@/graph/replay'
import { rowsOf } from '@/graph/rows'
import { hasStopped, type AttemptView } from '@/graph/run-view'
import {
  divisionOf,
  subtaskOfAgent,
  subtasksOf as standing,
  type SubtaskStatus,
} from '@/families/subtasks/task-graph'
import { timelineOf } from '@/graph/timeline'
import { totalsOf } from '@/graph/totals'
import { traceTree } from '@/graph/tree'
import { whyCounts } from '@/families/subtasks/why-counts'
import { isNobodyMade, whyPicked } from '@/families/subtasks/why-picked'

import { attemptIn, recording, replay as folded, trace, type Recording } from '@/graph/tests/frames'

const attemptOfAll = (frames: readonly Frame[]) => attemptIn(folded(frames))
const attemptOf = (name: Recording) => attemptOfAll(recording(name))

const subtasksOf = (attempt: AttemptView) =>
  standing({ ...attempt, ...divisionOf(attempt), hasEnded: hasStopped(attempt) })

const statuses = (attempt: AttemptView): readonly SubtaskStatus[] =>
  subtasksOf(attempt).map(({ status }) => status)

/** How the subtasks stand right after an event. */
function after(name: Recording, is: (event: RunEvent) => boolean): readonly SubtaskStatus[] {
  const whole = attemptOf(name)
  const place = whole.events.toArray().findIndex(({ event }) => is(event))
  return statuses(new Replay(whole, FAMILIES).after(place + 1))
}

describe('the subtasks of a run', () => {
  it('are known with all that was found, said and decided', () => {
    const subtasks = subtasksOf(attemptOf('subtasks-voted'))
    expect(subtasks).toHaveLength(8)
    const wages = subtasks[6]
    expect(wages).toMatchObject({
      ordinal: 7,
      dependsOn: ['s4', 's5'],
      neededBy: ['s8'],
      reference: '30',
      isFinal: false,
      status: 'answered',
    })
    expect(wages?.result).toMatchObject({ agentId: 's7-1', answer: '30', correct: true })
    expect(wages?.result?.groups.map(({ agentIds }) => agentIds.length)).toEqual([2, 1])
    const [first, second, third] = wages?.candidates ?? []
    expect(first).toMatchObject({ rank: 1, isChosen: true, agent: { answer: '30' } })
    expect(second?.isChosen).toBe(false)
    expect(third?.agent?.answer).toBe('7')
    expect(subtasks[5]?.result).toMatchObject({ answer: '7', correct: false })
    expect(subtasks.at(-1)?.isFinal).toBe(true)
  })

  it('wait for the whole level before, are looked for, asked, and answered', () => {
    const name = 'subtasks-voted'
    expect(after(name, ({ event }) => event === 'subtasks_planned')).toEqual([
      ...['searching', 'searching', 'searching'],
      ...['waiting', 'waiting', 'waiting', 'waiting', 'waiting'],
    ])
    expect(after(name, ({ event }) => event === 'agent_started').slice(0, 4)).toEqual([
      'asked',
      'asked',
      'asked',
      'waiting',
    ])
    const answeredFirst = (event: RunEvent) =>
      event.event === 'subtask_answered' && event.subtask === 's1'
    expect(after(name, answeredFirst).slice(0, 4)).toEqual([
      'answered',
      'asked',
      'asked',
      'waiting',
    ])
    const levelDone = (event: RunEvent) =>
      event.event === 'subtask_answered' && event.subtask === 's3'
    expect(after(name, levelDone).slice(3)).toEqual([
      'searching',
      'searching',
      'waiting',
      'waiting',
      'waiting',
    ])
    expect(new Set(statuses(attemptOf(name)))).toEqual(new Set(['answered']))
  })

  it('are not reached after a level that was not solved while the method learns', () => {
    const attempt = attemptOf('subtasks-learned')
    expect(statuses(attempt)).toEqual([
      ...['answered', 'answered', 'answered', 'answered', 'unsolved'],
      ...['unreached', 'unreached', 'unreached'],
    ])
    const wages = subtasksOf(attempt)[4]
    expect(wages?.result?.solved).toBe(false)
    expect(wages?.candidates.map(({ reward }) => reward?.value)).toEqual([0, 0, 0])
    expect(wages?.candidates[2]?.reward?.reason).toBe('It gave no answer.')
  })

  it('are decided by a vote where nobody could be judged', () => {
    const unjudged = recording('subtasks-voted').map((frame) => {
      if (frame.type !== 'trace' || frame.event.event !== 'subtask_answered') return frame
      const { subtask } = frame.event
      const rewards = [1, 2, 3].map((rank) => ({
        agent_id: `${subtask}-${rank}`,
        value: null,
        reason: '',
        problem: 'The judge did not answer.',
      }))
      return { ...frame, event: { ...frame.event, rewards, solved: null } }
    })
    expect(new Set(statuses(attemptOfAll(unjudged)))).toEqual(new Set(['answered']))
  })

  it('stop with the run', () => {
    const cut = recording('subtasks-voted').filter(
      (frame) => frame.type !== 'trace' || frame.seq <= 8,
    )
    const usage = { prompt_tokens: null, completion_tokens: null, cost: null }
    const end: RunEvent = { event: 'run_cancelled', at: 9, by: 'olga', usage, seconds: 1 }
    const run = cut[0]?.run ?? ''
    expect(statuses(attemptOfAll([...cut, { ...trace(9, end), run }]))).toEqual([
      ...['stopped', 'stopped', 'stopped'],
      ...['unreached', 'unreached', 'unreached', 'unreached', 'unreached'],
    ])
  })

  it('are none in a run without them, or whose search was told without a plan', () => {
    expect(divisionOf(attemptOf('mashost')).taskGraph).toBeNull()
    expect(subtasksOf(attemptOf('mashost'))).toEqual([])
    const unplanned = recording('subtasks-voted').filter(
      (frame) => frame.type !== 'trace' || frame.event.event !== 'subtasks_planned',
    )
    expect(subtasksOf(attemptOfAll(unplanned))).toEqual([])
  })

  it('tells nothing of right or wrong where an older event did not', () => {
    const older = recording('subtasks-voted').map((frame) => {
      if (frame.type !== 'trace' || frame.event.event !== 'subtask_answered') return frame
      const told = { ...frame.event, correct: undefined, solved: undefined }
      return { ...frame, event: told as unknown as RunEvent }
    })
    const [first] = subtasksOf(attemptOfAll(older))
    expect(first?.result?.correct).toBeNull()
    expect(first?.status).toBe('answered')
  })

  it('tell of a plan that could not be used, before there is one', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, cost: null }
    const said = { reply: 'First I add.', problem: 'There is no JSON.' }
    const remedy = 'Let a larger model plan.'
    const by = { endpoint: 'stub', ordinal: 1 }
    const asked: RunEvent = { event: 'planner_asked', at: 1, model: 'small', ...by }
    const told = { ...by, ...said, remedy, usage, truncated: false }
    const rejected: RunEvent = { event: 'plan_rejected', at: 3, ...told }
    const frames = [trace(1, asked), trace(2, rejected)]
    const view = folded(frames)
    const attempt = attemptOfAll(frames)
    const { plannerCalls } = divisionOf(attempt)
    expect(plannerCalls).toEqual([
      {
        ...by,
        startedAt: 1,
        endedAt: 3,
        usage: { promptTokens: 9, completionTokens: 3, cost: null },
        rejected: { ...said, remedy },
      },
    ])
    expect(totalsOf(view).usage).toEqual(plannerCalls[0]?.usage)
    expect(new Replay(attempt, FAMILIES).moments).toHaveLength(2)
    const call = traceTree(view, FAMILIES)[0]?.children[0]
    expect(call).toMatchObject({ id: rowsOf(1, asked, FAMILIES)[0], status: 'failed', seconds: 2 })
    expect(call?.children[0]).toMatchObject({
      id: rowsOf(1, rejected, FAMILIES)[0],
      detail: 'There is no JSON.',
    })
  })

  it('have a row on the clock for whoever divides the question, while it does', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, cost: 0.5 }
    const asked: RunEvent = {
      event: 'planner_asked',
      at: 10,
      endpoint: 'stub',
      model: 'small',
      ordinal: 1,
    }
    const waiting = attemptOfAll([trace(1, asked)])
    expect(timelineOf(waiting, FAMILIES, 12).rows).toMatchObject([
      { kind: 'planner', agentId: null, label: 'Planner', start: 0, end: 2, status: 'active' },
    ])
    const subtask = { id: 's1', text: 'Add.', depends_on: [], reference: null }
    const planned: RunEvent = {
      event: 'subtasks_planned',
      at: 14,
      planner: 'llm',
      task_graph: { subtasks: [subtask] },
      repaired: false,
      usage,
      truncated: false,
    }
    expect(
      timelineOf(attemptOfAll([trace(1, asked), trace(2, planned)]), FAMILIES, null).rows,
    ).toMatchObject([{ start: 0, end: 4, status: 'done', open: false, usage: { cost: 0.5 } }])
    const cancelled: RunEvent = { event: 'run_cancelled', at: 11, by: 'ann', usage, seconds: 1 }
    const stopped = attemptOfAll([trace(1, asked), trace(2, cancelled)])
    expect(timelineOf(stopped, FAMILIES, null).rows).toMatchObject([
      { end: 1, status: 'stopped', open: false },
    ])
  })

  it('are found by their candidates', () => {
    const { taskGraph } = divisionOf(attemptOf('subtasks-voted'))
    expect(subtaskOfAgent(taskGraph, 's4-2')).toMatchObject({ id: 's4', ordinal: 4 })
    expect(subtaskOfAgent(taskGraph, 'a1')).toBeNull()
    expect(subtaskOfAgent(null, 's4-2')).toBeNull()
  })
})

describe('why an agent was picked', () => {
  const search = subtasksOf(attemptOf('subtasks-voted'))[0]?.search
  if (!search) throw new Error('no search')
  const known = search.candidates[0]
  if (!known) throw new Error('nobody')
  const base = {
    ...known,
    inner_product: 0.52,
    similarity: 1,
    reward: 0.81,
    performance: 0.81,
    exploration: 0.06,
    count: 12,
  }
  const at = { ...search, threshold: 0.4, selections: 43 }

  it('says similarity, what was earned, and exploration', () => {
    expect(whyPicked(base, at)).toBe(
      'Picked because: it suits the subtask (0.52 ≥ 0.40), its answers earned 0.81 so far over 12 tasks; exploration adds 0.06.',
    )
    expect(whyPicked({ ...base, performance: 0.79, count: 1 }, at)).toContain(
      'earned 0.81 so far over 1 task, minus 0.02 for their cost;',
    )
  })

  it('says what a gate leaves of what was earned', () => {
    expect(whyPicked({ ...base, inner_product: 0.31, similarity: 0 }, at)).toBe(
      'Picked because: it does not suit the subtask (0.31 < 0.40), its answers earned 0.81 so far over 12 tasks, so its rewards do not count; exploration adds 0.06.',
    )
    expect(whyPicked({ ...base, similarity: 0.77 }, at)).toContain('its rewards count by 0.77')
  })

  it('says of whom nothing is known that nothing is', () => {
    expect(whyPicked({ ...base, count: 0, reward: 0, performance: 0 }, at)).toContain(
      'it has no reward yet; exploration adds 0.06.',
    )
    expect(whyPicked({ ...base, count: 0 }, { ...at, selections: 0 })).toContain(
      'no agent was chosen before, so the most similar agent comes first.',
    )
  })

  it('never writes two numbers alike of which one is larger', () => {
    expect(whyPicked({ ...base, inner_product: 0.3996, similarity: 0 }, at)).toContain(
      '(0.3996 < 0.4000)',
    )
  })

  it('tells where nobody reaches the threshold', () => {
    const subtasks = subtasksOf(attemptOf('subtasks-voted'))
    const nobody = subtasks.filter((each) => each.search && isNobodyMade(each.search))
    expect(nobody.map(({ id }) => id)).toEqual(['s6'])
    expect(isNobodyMade({ ...at, candidates: [], nearest: 0 })).toBe(false)
  })
})

describe('why an answer counts', () => {
  const role = ({ role_key: key }: { readonly role_key: string }) => key

  it('is the vote, or the reward', () => {
    const [voted] = subtasksOf(attemptOf('subtasks-voted'))
    const [learned] = subtasksOf(attemptOf('subtasks-learned'))
    if (!voted || !learned) throw new Error('no subtasks')
    expect(whyCounts(voted, role)).toBe('The answer of accountant counts: 2 of 3 agents gave it.')
    expect(whyCounts(learned, role)).toBe('The answer of accountant counts: it earned 1.00.')
  })

  it('is nobody’s where nobody answered, and open before', () => {
    const [first] = subtasksOf(attemptOf('subtasks-voted'))
    if (!first?.result) throw new Error('no result')
    const candidates = first.candidates.map((each) => ({ ...each, isChosen: false }))
    const result = { ...first.result, agentId: null, answer: null, groups: [] }
    expect(whyCounts({ ...first, candidates, result }, role)).toBe('No answer counts.')
    expect(whyCounts({ ...first, result: null }, role)).toBeNull()
  })
})
