import { describe, expect, it } from 'vitest'

import type { StageSubtask, TaskState } from '@/generated/events'
import { momentsOf } from '@/graph/replay'
import { rowsOf } from '@/graph/rows'
import { hasStopped, type AgentView } from '@/graph/run-view'
import {
  agentStarted,
  attemptIn,
  recording,
  replay,
  takenUpAfter,
  trace,
} from '@/graph/tests/frames'
import { traceTree } from '@/graph/tree'
import { FAMILIES } from '@/families/all'
import { family } from '@/families/stages/family'
import { sectorsOf, SIZE } from '@/components/rings'
import { answeringAgents, sourcesIn, sourcesOf } from '@/families/stages/sources'
import {
  chosenIn,
  endingOf,
  massOf,
  phaseOf,
  placeOf,
  stagesOf,
  stateOf,
  upcoming,
} from '@/families/stages/stages'
import { diffOf, isEmpty } from '@/families/stages/state-diff'

const FRAMES = recording('stages')
const TAKEN_UP = { event: 'run_taken_up', at: 1, attempt: 1, events: 9, parts: 1 } as const
const kindOf = (frame: (typeof FRAMES)[number]) =>
  frame.type === 'trace' ? frame.event.event : frame.type
/** The frames up to the nth event of this kind, that one included. */
function until(kind: string, nth: number) {
  let seen = 0
  const end = FRAMES.findIndex((frame) => kindOf(frame) === kind && ++seen === nth)
  return FRAMES.slice(0, end + 1)
}
const after = (kind: string, nth: number) => attemptIn(replay(until(kind, nth)))
const whole = attemptIn(replay(FRAMES))

describe('a stage', () => {
  it.each([
    ['stage_planned', 1, 'choosing'],
    ['layer_sampled', 3, 'working'],
    ['agent_finished', 6, 'judging'],
    ['stage_assessed', 1, 'refine'],
  ] as const)('after %s %i is %s', (kind, nth, phase) => {
    const attempt = after(kind, nth)
    const [first] = stagesOf(attempt)
    expect(first && phaseOf(first, attempt.agents, hasStopped(attempt))).toBe(phase)
    if (phase !== 'refine') expect(first && phaseOf(first, attempt.agents, true)).toBe('stopped')
  })

  it('knows its agents, whether or not they were planned with it', () => {
    const placed = [...whole.agents.keys()].map((id) => {
      const place = placeOf(whole, id)
      return place && `${place.stage} ${place.part} ${place.layer}`
    })
    expect(placed).toEqual([
      ...['1 planner 0', '1 planner 0', '1 layer 1', '1 layer 1', '1 layer 2', '1 layer 3'],
      ...['1 evaluator 0', '2 planner 0', '2 layer 1', '2 layer 1', '2 layer 2'],
      ...['2 evaluator 0', '2 evaluator 0', '3 layer 1', '3 evaluator 0', null],
    ])
    const planning = after('agent_started', 8)
    expect(placeOf(planning, 's2-planner')).toEqual({ stage: 2, part: 'planner', layer: 0 })
    expect(upcoming(stagesOf(planning), false)).toBe(2)
    expect(upcoming(stagesOf(planning), true)).toBeNull()
  })

  it('has the chosen agents in their order, also those that do not run', () => {
    const [first, , third] = stagesOf(whole)
    const [search] = first?.layers ?? []
    expect(search && chosenIn(search, whole.agents).map(({ agentId }) => agentId)).toEqual([
      's1l1a1',
      's1l1a2',
    ])
    expect(search && massOf(search)).toBeCloseTo(0.67)
    const exit = third?.layers[1]
    expect(exit && chosenIn(exit, whole.agents)).toMatchObject([
      { candidate: { role: 'early_exit', rank: 1 }, agentId: null },
    ])
  })

  it('ends the run for a reason, and leaves a plan whose parts are done', () => {
    expect(endingOf(stagesOf(after('stage_ended', 2)))).toBeNull()
    expect(endingOf(stagesOf(whole))).toBe('completed')
    expect(stateOf(stagesOf(whole))?.subtasks.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
    expect(whole.answeredBy).toEqual(['answer'])
    expect(family.progress?.(after('stage_ended', 2))).toMatchObject({ done: 1, total: 2 })
  })
})

describe('the trace of stages', () => {
  it('is a branch for each, from planner to state; the final agent stands beside them', () => {
    const [root] = traceTree(replay(FRAMES), FAMILIES)
    const labels = root?.children.map(({ label }) => label)
    expect(labels).toEqual(['Stage 1', 'Stage 2', 'Stage 3', 'Final answer', 'Answer'])
    const second = root?.children[1]?.children.map(({ label, kind }) => `${kind}: ${label}`)
    expect(second).toEqual([
      'agent: Planner 3',
      'plan: Plan',
      'layer: Layer 1',
      'layer: Layer 2',
      'agent: Evaluator 2',
      'agent: Evaluator 3',
      'assessment: Verdict: success, 92 % sure',
      'state: State after the stage',
    ])
  })

  it('stops the replay where a stage begins, chooses, is judged and ends', () => {
    const told = { whole, nameOf: (id: string | null) => id ?? '', roleName: (key: string) => key }
    const moments = momentsOf(whole.events.toArray(), [family]).flatMap(({ event }) => {
      const moment = family.events[event.event]?.moment as
        ((e: unknown, t: unknown) => string) | undefined
      return moment ? [moment(event, told)] : []
    })
    expect(moments.slice(-5)).toEqual([
      'Stage 3 begins: Say which is longer, and by how much.',
      'Layer 1 of stage 3: I/O',
      'Layer 2 of stage 3: Early-exit',
      'Stage 3 is judged: success, 100 % sure',
      'All subtasks are done',
    ])
  })
})

const subtask = (id: string, part: Partial<StageSubtask> = {}): StageSubtask => ({
  ...{ id, text: `Do ${id}.`, status: 'TODO', artifact: '', by: null, attempts: 0 },
  ...part,
})
const state = (part: Partial<TaskState>): TaskState => ({
  ...{ objective: 'All.', subtasks: [subtask('s1'), subtask('s2')], active: 's1' },
  ...{ assessment: null, trouble: [], history: [], hint: 'Begin.' },
  ...part,
})

describe('the difference of two states', () => {
  it('is empty for the same state', () => {
    expect(isEmpty(diffOf(state({}), state({})))).toBe(true)
  })

  it('has what is new, dropped, changed and in another order', () => {
    const before = state({ subtasks: [subtask('s1'), subtask('s2'), subtask('s3')] })
    const now = state({ subtasks: [subtask('s3'), subtask('s4'), subtask('s1', { attempts: 1 })] })
    const { subtasks, isReordered } = diffOf(before, now)
    expect(
      subtasks.map((each) => [each.before?.id ?? null, each.after?.id ?? null, each.ordinal]),
    ).toEqual([
      ['s2', null, 2],
      [null, 's4', 2],
      ['s1', 's1', 3],
    ])
    expect(isReordered).toBe(true)
    expect(diffOf(null, now).subtasks).toHaveLength(3)
    expect(diffOf(null, now).isReordered).toBe(false)
  })

  it('counts a line of trouble that stands there twice', () => {
    const [before, now] = [state({ trouble: ['a', 'b'] }), state({ trouble: ['b', 'b'] })]
    expect(diffOf(before, now).trouble).toEqual({ added: ['b'], removed: ['a'] })
  })

  it('has the next subtask, the hint and the new lines of the history', () => {
    const stages = stagesOf(whole)
    const end = stages[1]
    if (!end?.ended) throw new Error('no end')
    const diff = diffOf(end.planned.state, end.ended.state)
    expect(diff.active).toEqual({ before: 1, after: 2 })
    expect(diff.history.map(({ stage, verdict }) => [stage, verdict])).toEqual([[2, 'success']])
    expect(diff.trouble).toEqual({ added: [], removed: ['The unit is missing.'] })
    expect(diff.hint?.after).toBe('answer the next subtask with what is known.')
  })
})

describe('sources', () => {
  it.each([
    ['no list at all: https://a.example', []],
    ['Sources:\n- https://a.example/x.', [['', 'https://a.example/x']]],
    ['**Sources:** [A page](https://a.example/x)', [['A page', 'https://a.example/x']]],
    ['Text\n## Sources:\n1. A page — https://a.example/x', [['A page', 'https://a.example/x']]],
    [
      'Sources: https://a.example, https://b.example',
      [
        ['', 'https://a.example'],
        ['', 'https://b.example'],
      ],
    ],
    ['Sources: javascript:alert(1) [x](data:text/html,1) ftp://a.example', []],
    ['Sources: https://old.example\nSources:\nhttps://new.example', [['', 'https://new.example']]],
  ])('of %j', (message, found) => {
    expect(sourcesIn(message).map(({ title, address }) => [title, address])).toEqual(found)
  })

  it('are those of the agents that the answer rests on, each once', () => {
    expect(answeringAgents(whole).map(({ id }) => id)).toEqual([
      ...['s2l1a1', 's2l1a2', 's2l2a1', 's3l1a1', 'answer'],
    ])
    expect(sourcesOf(whole)).toEqual({
      named: [
        { title: 'Elbe, a river in Central Europe', address: 'https://rivers.example/wiki/Elbe' },
        { title: 'Rhine', address: 'https://rivers.example/wiki/Rhine' },
      ],
      read: [{ title: 'rivers.csv', address: '' }],
    })
  })
})

describe('sources that are pages of the studio', () => {
  const [first] = whole.agents.values()
  if (!first) throw new Error('no agent')
  const reader: AgentView = {
    ...first,
    id: 'reader',
    reads: [],
    message:
      'Sources:\n- http://web:8300/corpus/wiki/Rhine%20%28river%29\n- http://web:8300/corpus/x',
    tools: [
      {
        ...{ callId: 'c', tool: 'read_page', truncated: false, arguments: {}, startedAt: 1 },
        ...{
          endedAt: 2,
          ok: true,
          output: '',
          seconds: 1,
          cached: false,
          cut: false,
          picture: null,
        },
        sources: [{ title: 'Rhine', address: '/corpus/wiki/Rhine%20(river)' }],
      },
    ],
  }
  const attempt = {
    ...whole,
    answeredBy: ['reader'],
    agents: new Map([['reader', reader]]),
    outcome: null,
  }

  it('lead there, by whichever host an answer names them', () => {
    expect(sourcesOf(attempt)).toEqual({
      named: [
        { title: 'Rhine', address: '/corpus/wiki/Rhine%20(river)' },
        { title: '', address: 'http://web:8300/corpus/x' },
      ],
      read: [],
    })
  })
})

describe('the rings', () => {
  const layers = stagesOf(whole)[0]?.layers ?? []

  it('have a sector for every agent, the first layer inside, from the top clockwise', () => {
    const sectors = sectorsOf(layers)
    expect(sectors).toHaveLength(21)
    const reach = ({ middle: { x, y } }: (typeof sectors)[number]) =>
      Math.hypot(x - SIZE / 2, y - SIZE / 2)
    const [inside, , outside] = [1, 2, 3].map((layer) =>
      sectors.filter((each) => each.layer === layer).map(reach),
    )
    expect(Math.max(...(inside ?? []))).toBeLessThan(Math.min(...(outside ?? [])))
    expect(sectors[0]?.middle.x).toBeGreaterThan(SIZE / 2)
  })

  it.each([
    ['one agent has everything', [1, 0], 1],
    ['nobody has anything', [0, 0], 0],
  ])('can be drawn where %s', (_, probabilities, count) => {
    const [layer] = layers
    if (!layer) throw new Error('no layer')
    const candidates = probabilities.map((probability, place) => ({
      ...{ role: `r${place}`, name: 'R', probability, rank: null },
    }))
    const sectors = sectorsOf([{ ...layer, candidates }])
    expect(sectors).toHaveLength(count)
    for (const { path } of sectors) expect(path).not.toContain('NaN')
  })
})

describe('a run that another worker took up again', () => {
  it.each([
    [1, 'Taken up again at stage 2'],
    [3, 'Taken up again before the answer'],
  ])('after %i stages says so between them, and holds all stages', (finished, told) => {
    const view = replay(takenUpAfter(finished))
    const attempt = attemptIn(view)
    expect(attempt.attempt).toBe(2)
    expect(attempt.takenUp).toMatchObject({ from: 1, parts: finished })
    expect(stagesOf(attempt).map(({ number }) => number)).toEqual([1, 2, 3])
    const [root] = traceTree(view, FAMILIES)
    expect(root?.detail).toBe('Continues attempt 1')
    expect(root?.children[finished]?.label).toBe(told)
    expect(root?.children.map(({ label }) => label).filter((each) => each !== told)).toEqual(
      traceTree(replay(FRAMES), FAMILIES)[0]?.children.map(({ label }) => label),
    )
    expect(rowsOf(2, { ...TAKEN_UP, parts: finished }, FAMILIES)).toEqual([
      root?.children[finished]?.id,
    ])
    const names = { whole: attempt, nameOf: String, roleName: String }
    const event = { ...TAKEN_UP, parts: finished }
    expect(family.events.run_taken_up?.moment?.(event, names)).toBe(told)
  })

  it('leaves a run without stages as it is', () => {
    const attempt = attemptIn(replay([trace(1, agentStarted('a1', 1)), trace(2, TAKEN_UP)]))
    expect(attempt.takenUp?.from).toBe(1)
    expect(traceTree(replay([trace(1, TAKEN_UP)]), FAMILIES)[0]?.children).toEqual([])
  })

  it('folds the lost attempt, of which all that it finished stands below', () => {
    const lost = FRAMES.filter(({ type }) => type === 'trace')
    const both = replay([...lost, ...takenUpAfter(1)])
    expect(traceTree(both, FAMILIES).map(({ kind }) => kind)).toEqual(['continued', 'attempt'])
    expect(traceTree(replay(FRAMES), FAMILIES).map(({ kind }) => kind)).toEqual(['attempt'])
  })
})
