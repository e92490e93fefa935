/** Their events, and what the pages of a run show of them. */
import { FileCode2, Flag, TriangleAlert } from 'lucide-react'

import { later } from '@/components/later'
import type { RunFamily, SideProps } from '@/components/run/family-views'
import type { AgentFact } from '@/graph/family'
import type { AttemptView } from '@/graph/run-view'
import { shortText } from '@/graph/text'

import { chosenIn } from './chosen'
import { EVENTS } from './events'
import { LineOf, WhyAsked } from './of-agent'
import { callOf, KEY, lineIn, readOf, toldOf } from './scripts'
import { branches } from './trace'
import { scripts } from '.'
import { text } from './words'

const FACT_CHARS = 120

/** Fetched when it is shown. */
const views = () => import('./views')

export const family: RunFamily = {
  key: KEY,
  events: EVENTS,
  branches,
  factOf,
  // How often it will ask whom is known to the script alone.
  progress: (attempt) => (KEY in attempt.families ? 'open' : null),
  rowLooks: {
    script: { icon: FileCode2, isStrong: true, opensAtFirst: true },
    'script-problem': { icon: TriangleAlert },
    'script-end': { icon: Flag },
  },
  tab: {
    key: 'script',
    parameter: scripts.parameter,
    words: text,
    nameOf: (attempt, id) => {
      const read = readOf(attempt)
      const chosen = read && chosenIn(id, read.drawing, read.script.split('\n').length)
      if (!chosen) return null
      return chosen.isLine ? text.line(chosen.line) : (chosen.blocks[0]?.name ?? id)
    },
    View: later(async () => (await views()).ScriptView),
    Side: later<SideProps>(async () => (await views()).ScriptSide),
  },
  Asked: LineOf,
  why: {
    isKnown: (attempt, agent) =>
      callOf(attempt, agent) !== null || toldOf(attempt).designers.includes(agent),
    Why: WhyAsked,
  },
}

function factOf(attempt: Pick<AttemptView, 'families'>, agent: string): AgentFact | null {
  const [call, read] = [callOf(attempt, agent), readOf(attempt)]
  if (!call || !read) return null
  const code = shortText(lineIn(read.script, call.line), FACT_CHARS)
  const name = text.line(call.line)
  return { title: text.agent.title, name, short: text.lineFact(call.line, code), text: code }
}
