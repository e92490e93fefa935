import { Section } from '@/components/fact'
import type { AgentSectionProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'

import { lineId } from './chosen'
import { callOf, lineIn, readOf, toldOf } from './scripts'
import { text } from './words'

/** The line that makes the agent, and the way to it. */
export function LineOf({ agent: { id }, onOpen }: Readonly<AgentSectionProps>) {
  const call = useRun(({ attempt }) => callOf(attempt, id))
  const read = useRun(({ attempt }) => readOf(attempt))
  if (!call || !read) return null
  return (
    <Section title={text.agent.title}>
      <code className="rounded-md bg-surface-2 px-2 py-1 font-mono text-xs wrap-anywhere">
        {lineIn(read.script, call.line)}
      </code>
      <p className="text-xs text-ink-3">{text.agent.call(call.call)}</p>
      {onOpen ? (
        <button
          type="button"
          onClick={() => onOpen(call.block || lineId(call.line))}
          className="self-start rounded-sm text-left font-medium text-accent underline underline-offset-2"
        >
          {text.agent.open(call.line)}
        </button>
      ) : null}
    </Section>
  )
}

/** The script asks it, or it writes the script. */
export function WhyAsked({ agent: { id } }: Readonly<AgentSectionProps>) {
  const call = useRun(({ attempt }) => callOf(attempt, id))
  const isDesigner = useRun(({ attempt }) => toldOf(attempt).designers.includes(id))
  if (call) return <p className="text-ink-3">{text.agent.why(call.line)}</p>
  return isDesigner ? <p className="text-ink-3">{text.agent.whyDesigner}</p> : null
}
