import { describe, expect, it } from 'vitest'

import { FAMILIES } from '@/families/all'
import { headOf } from '@/families/scripts/block-look'
import { blocksOf, inOrder, statusOf } from '@/families/scripts/blocks'
import { chosenIn } from '@/families/scripts/chosen'
import { family } from '@/families/scripts/family'
import { highlighted } from '@/families/scripts/highlight'
import { linesNotIn, litBy } from '@/families/scripts/lines'
import { ANSWER, placed, QUESTION, type Box, type Flow } from '@/families/scripts/places'
import { scriptSoFar } from '@/families/scripts/reading'
import {
  readOf,
  toldOf,
  writingsOf,
  type Drawing,
  type DrawnBlock,
} from '@/families/scripts/scripts'
import { momentsOf } from '@/graph/replay'
import { attemptIn, recording, replay } from '@/graph/tests/frames'
import { traceTree } from '@/graph/tree'

const FRAMES = recording('script')
const until = (kind: string, nth = 1) => {
  let seen = 0
  const end = FRAMES.findIndex(
    (frame) => frame.type === 'trace' && frame.event.event === kind && ++seen === nth,
  )
  return attemptIn(replay(FRAMES.slice(0, end + 1)))
}
const whole = attemptIn(replay(FRAMES))

describe('a script that is being written', () => {
  it.each([
    ['Let me see.', '', 'Let me see.'],
    ['Sure:\n```python\na = 1\nb', 'a = 1\nb', 'Sure:'],
    ['```\na = 1\n```\nDone.', 'a = 1', ''],
    ['```\n```', '', ''],
    ['<think>```python\nno = 1\n``` or</think>\n```py\nyes = 1', 'yes = 1', ''],
    ['<think>first', '', ''],
    ['from workflow import agent\na', 'from workflow import agent\na', ''],
    ['from the rule of three', 'from the rule of three', ''],
  ])('of %j is %j', (reply, script, prose) => {
    expect(scriptSoFar(reply)).toEqual({ script, prose })
  })
})

describe('the colours of a script', () => {
  const kinds = (script: string) =>
    highlighted(script).map((tokens) => tokens.map(({ kind, text }) => `${kind}:${text}`))

  it('keep every character, also of what is not complete', () => {
    const read = readOf(whole)
    for (const script of [read?.script ?? '', 'a = "half', "x = '''all\nof it", '# only', ''])
      expect(
        highlighted(script)
          .map((tokens) => tokens.map(({ text }) => text).join(''))
          .join('\n'),
      ).toBe(script)
  })

  it('tell words of Python, blocks, texts, numbers and remarks apart', () => {
    expect(kinds('if agent("a # b", 0.7): # end')).toEqual([
      [
        'keyword:if',
        'plain: ',
        'block:agent',
        'plain:(',
        'string:"a # b"',
        'plain:, ',
        'number:0.7',
        'plain:): ',
        'comment:# end',
      ],
    ])
    expect(kinds('said.agent = f"{n}"')[0]).toContain('string:f"{n}"')
    expect(kinds('said.agent')[0]).not.toContain('block:agent')
  })

  it('go on in the next line of a text', () => {
    expect(kinds('a = """one\ntwo"""\nb')[1]).toEqual(['string:two"""'])
  })
})

describe('lines', () => {
  it('are lit while their agent speaks, and those of the blocks around it weakly', () => {
    const attempt = until('agent_started', 3)
    const { now, around } = litBy(toldOf(attempt).calls, attempt.agents)
    expect([...now]).toEqual([5])
    expect([...around]).toEqual([10, 8])
    expect(litBy(toldOf(whole).calls, whole.agents).now.size).toBe(0)
  })

  it('that a script before did not have are new', () => {
    expect([...linesNotIn('a\nx\nb\n\nc', 'a\nb\nc')]).toEqual([2])
    expect([...linesNotIn('b\na', 'a\nb')]).toHaveLength(1)
    expect([...linesNotIn('a', 'a')]).toEqual([])
    expect([...linesNotIn('a\nb', '')]).toEqual([1, 2])
    expect([...linesNotIn('a\na\na', 'a\na')]).toHaveLength(1)
  })

  it('and a long script is compared in no time', () => {
    const lines = Array.from({ length: 5000 }, (_, at) => `line ${at}`)
    const changed = lines.with(2500, 'new').join('\n')
    const others = lines.map((line) => `other ${line}`).join('\n')
    const began = performance.now()
    expect([...linesNotIn(changed, lines.join('\n'))]).toEqual([2501])
    // changes too far apart to be compared: all between them counts as changed
    expect(linesNotIn(`${changed}\nmore`, lines.join('\n')).size).toBe(2501)
    expect(linesNotIn(others, lines.join('\n')).size).toBe(5000)
    expect(performance.now() - began).toBeLessThan(1000)
  })

  it('and blocks are chosen by the address', () => {
    const drawing = readOf(whole)?.drawing ?? null
    expect(chosenIn('L5', drawing, 16)?.blocks.map(({ name }) => name)).toEqual([
      'Solver 1',
      'Solver 2',
      'Solver 3',
    ])
    expect(chosenIn('b6', drawing, 16)).toMatchObject({ line: 9, isLine: false })
    for (const wrong of ['L17', 'L0', 'b99', '']) expect(chosenIn(wrong, drawing, 16)).toBeNull()
  })
})

describe('blocks', () => {
  it('have their calls, frames those of all that they hold', () => {
    const blocks = blocksOf(readOf(whole)?.drawing ?? null, toldOf(whole).calls, whole.agents)
    const counts = [...blocks].map(([id, { calls, tokens }]) => [id, calls.length, tokens])
    expect(counts).toEqual([
      ['b1', 4, 960],
      ['b2', 3, 720],
      ['b3', 1, 240],
      ['b4', 1, 240],
      ['b5', 1, 240],
      ['b6', 1, 240],
      ['b7', 0, null],
      ['b8', 0, null],
    ])
    expect(blocks.get('b2')?.status).toBe('done')
    expect(blocks.get('b8')?.status).toBe('waiting')
  })

  it('are active as long as one of their agents is, and failed if all are', () => {
    const call = toldOf(whole).calls[0]
    const agent = whole.agents.get('a1')
    if (!call || !agent) throw new Error('no call')
    const of = (...statuses: (typeof agent.status)[]) =>
      statusOf(statuses.map((status) => ({ call, agent: { ...agent, status } })))
    expect(of('done', 'active', 'failed')).toBe('active')
    expect(of('done', 'failed')).toBe('done')
    expect(of('failed', 'failed')).toBe('failed')
    expect(of()).toBe('waiting')
  })

  it('stand behind what holds them, also where the drawing is not sound', () => {
    const block = (id: string, inside: string | null): DrawnBlock => ({
      ...{ id, inside, kind: 'agent', name: id, line: 1, detail: '', prompt: '', tools: [] },
    })
    const ids = (...blocks: DrawnBlock[]) => inOrder(blocks).map(({ id }) => id)
    expect(ids(block('a', 'b'), block('b', null))).toEqual(['b', 'a'])
    expect(ids(block('a', 'a'), block('b', 'gone'))).toEqual(['a', 'b'])
    expect(ids(block('a', 'b'), block('b', 'a'))).toHaveLength(2)
  })
})

describe.each(['down', 'right'] satisfies Flow[])('the drawing, laid %s', (flow) => {
  const drawing = readOf(whole)?.drawing
  if (!drawing) throw new Error('no drawing')
  const { boxes, lines, width, height } = placed(drawing, { flow, abreast: 2 }, headOf)
  const box = (id: string): Box => {
    const found = boxes.get(id)
    if (!found) throw new Error(id)
    return found
  }
  const holds = (outer: Box, inner: Box) =>
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width + 0.5 &&
    inner.y + inner.height <= outer.y + outer.height + 0.5
  const apart = (a: Box, b: Box) =>
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y

  it('has every block inside its frame, and no two neighbours on each other', () => {
    const all = { id: '', x: 0, y: 0, width, height }
    for (const { id, inside } of drawing.blocks) {
      expect(holds(inside === null ? all : box(inside), box(id))).toBe(true)
      for (const other of drawing.blocks)
        if (other.id !== id && other.inside === inside)
          expect(apart(box(id), box(other.id))).toBe(true)
    }
  })

  it('leads from the question to the answer, and back where a block asks again', () => {
    const told = lines.map(({ source, target, label }) => `${source} ${target} ${label}`.trim())
    expect(told).toEqual([
      `${QUESTION} b1`,
      'b2 b6',
      'b6 b2 incorrect',
      'b1 b7',
      'b7 b8 yes',
      `b1 ${ANSWER}`,
      `b8 ${ANSWER}`,
    ])
    expect(lines.filter(({ isBack }) => isBack).map(({ source }) => source)).toEqual(['b6'])
  })
})

it('draws nothing of nothing', () => {
  const empty: Drawing = { blocks: [], edges: [], delivers: ['gone'], complete: true }
  const drawn = placed(empty, { flow: 'down', abreast: 1 }, headOf)
  expect([drawn.boxes.size, drawn.lines.length]).toEqual([0, 0])
})

describe('the events of a script', () => {
  it('know who writes, also before anything is read', () => {
    expect(writingsOf(until('agent_started'))).toEqual([
      { number: 1, designer: 'designer', read: null },
    ])
    expect(
      writingsOf(until('agent_started', 2)).map(({ number, read }) => [number, !read]),
    ).toEqual([
      [1, false],
      [2, true],
    ])
    expect(writingsOf(attemptIn(replay(recording('script-given'))))[0]?.designer).toBeNull()
  })

  it('make a call an agent of the graph, and the delivered one leads to the answer', () => {
    expect(whole.agents.get('a4')).toMatchObject({ roleName: 'Critic', reads: ['a1'] })
    expect(whole.edges.map(({ id }) => id)).toContain('a1→a4')
    expect(whole.answeredBy).toEqual(['a1'])
  })

  it('are rows of the trace: scripts with problems, agents, the end', () => {
    const [root] = traceTree(replay(FRAMES), FAMILIES)
    expect(root?.children.map(({ label, status }) => `${label}: ${status}`)).toEqual([
      'Script 1: failed',
      'Script 2: done',
      'Solver 1: done',
      'Solver 2: done',
      'Solver 3: done',
      'Critic: done',
      'Delivered an answer: done',
      'Answer: null',
    ])
    expect(root?.children[0]?.children.map(({ label }) => label)).toEqual([
      'Designer',
      'Problem in line 1',
      'Problem in line 5',
      'Problem in line 5',
    ])
  })

  it('stop the replay at each script and at the end', () => {
    const told = { whole, nameOf: (id: string | null) => id ?? '', roleName: (key: string) => key }
    const texts = momentsOf(whole.events.toArray(), [family]).flatMap(({ event }) => {
      const moment = family.events[event.event]?.moment as
        ((e: unknown, t: unknown) => string) | undefined
      return moment ? [moment(event, told)] : []
    })
    expect(texts).toEqual([
      expect.stringMatching(/^Script 1 can’t be used: /),
      'Script 2 is read: 5 agents',
      'Delivered an answer',
    ])
  })

  it('say of an agent which line makes it', () => {
    expect(family.factOf?.(whole, 'a4')?.short).toMatch(/^Line 9: critic = agent\("Critic"/)
    expect(family.tab?.nameOf(whole, 'L5')).toBe('Line 5')
    expect(family.tab?.nameOf(whole, 'b6')).toBe('Critic')
    expect(family.tab?.nameOf(whole, 'L99')).toBeNull()
  })
})
