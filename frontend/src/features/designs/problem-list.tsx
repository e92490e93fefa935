import { CircleAlert, TriangleAlert } from 'lucide-react'

import { useDesignStore } from './design-store'
import { text } from '@/strings/designs'
import type { DesignProblem } from './use-designs'
import { useReveal } from './use-reveal'

interface Props {
  problems: readonly DesignProblem[]
  /** Whether each leads to its agent. */
  linked?: boolean
}

/** What is wrong, and the way out of each; errors keep the design from running. */
export function ProblemList({ problems, linked = false }: Readonly<Props>) {
  if (problems.length === 0) return null
  return (
    <ul className="flex flex-col gap-2">
      {problems.map((problem) => (
        <li
          key={`${problem.code} ${problem.agent_id ?? ''} ${problem.message}`}
          className="flex items-start gap-2 text-xs"
        >
          {problem.severity === 'error' ? (
            <CircleAlert
              size={14}
              aria-label={text.problems.error}
              className="mt-0.5 shrink-0 text-bad"
            />
          ) : (
            <TriangleAlert
              size={14}
              aria-label={text.problems.warning}
              className="mt-0.5 shrink-0 text-warn"
            />
          )}
          <span className="min-w-0">
            <Message problem={problem} linked={linked} />
            <span className="block text-ink-2">{problem.remedy}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Message({ problem, linked }: Readonly<{ problem: DesignProblem; linked: boolean }>) {
  const { select } = useDesignStore().getState()
  const reveal = useReveal()
  const { agent_id, line, message } = problem
  if (!linked || agent_id === null)
    return (
      <span className="block font-medium">
        {line === null ? null : text.script.line(line)} {message}
      </span>
    )
  return (
    <button
      type="button"
      className="block rounded-sm text-left font-medium text-accent hover:underline"
      onClick={() => {
        select({ agents: new Set([agent_id]) })
        reveal(agent_id)
      }}
    >
      {message}
    </button>
  )
}
