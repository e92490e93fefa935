import { TriangleAlert } from 'lucide-react'
import { useId } from 'react'

import { Disclosure } from '@/components/disclosure'
import { Notice } from '@/components/notice'
import { StatusIcon } from '@/components/run/agent-look'
import type { ViewProps } from '@/components/run/family-views'
import { useRun, useWorkerNow } from '@/components/run/run-context'
import { usePlace } from '@/components/run/use-place'
import { ScrollRegion } from '@/components/scroll-region'
import { hasStopped } from '@/graph/run-view'
import { formatSeconds } from '@/lib/format'

import { FoldedText } from './folded-text'
import { SubtaskCanvas } from './subtask-canvas'
import { divisionOf, type PlannerCallView } from './task-graph'
import { useRejectedPlans, type RejectedPlan } from './use-planning'
import { text } from './view-words'

/** The query as subtasks, and who divides it: while that goes on, and what could not be used. */
export function SubtaskView(props: Readonly<ViewProps>) {
  const rejected = useRejectedPlans()
  const isPlanned = useRun(({ attempt }) => divisionOf(attempt).taskGraph !== null)
  const asked = useRun(({ attempt }) =>
    attempt === null || hasStopped(attempt)
      ? null
      : (divisionOf(attempt).plannerCalls.find(({ endedAt }) => endedAt === null) ?? null),
  )
  return (
    <div className="flex size-full min-h-0 flex-col">
      <p role="status" className="sr-only">
        {asked ? text.planner.atWork(asked.ordinal, asked.endpoint) : ''}
      </p>
      {asked ? <PlannerAtWork call={asked} /> : null}
      <div className="flex min-h-0 flex-1 flex-col">
        {rejected.length > 0 && !isPlanned ? (
          <NothingPlanned plans={rejected} />
        ) : (
          <>
            {rejected.length > 0 ? <MendedPlan plans={rejected} /> : null}
            <div className="min-h-0 flex-1">
              <SubtaskCanvas {...props} />
            </div>
          </>
        )}
      </div>
    </div>
  )
}

/** A model divides the question: whose, and for how long so far, or so far where one looks back. */
function PlannerAtWork({ call }: Readonly<{ call: PlannerCallView }>) {
  const now = useWorkerNow(1_000)
  const { at } = usePlace()
  return (
    <p className="flex items-center gap-2 px-4 py-3 text-sm">
      <StatusIcon status="active" size={14} />
      <span>{text.planner.atWork(call.ordinal, call.endpoint)}</span>
      <span className="text-ink-3">{formatSeconds(Math.max(0, (at ?? now) - call.startedAt))}</span>
    </p>
  )
}

const { unplanned: words } = text

interface Props {
  plans: readonly RejectedPlan[]
}

/** In place of the graph: nothing that a planner wrote is one. */
function NothingPlanned({ plans }: Readonly<Props>) {
  const isOver = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  return (
    <ScrollRegion label={words.label} className="size-full overflow-auto p-4">
      <div className="mx-auto flex max-w-3xl flex-col gap-4">
        <Notice tone="warn" title={isOver ? words.title : words.soFar}>
          <Remedies plans={plans} />
        </Notice>
        <Replies plans={plans} />
      </div>
    </ScrollRegion>
  )
}

/** Above the graph of what the planner wrote when it was asked again. */
function MendedPlan({ plans }: Readonly<Props>) {
  return (
    <Disclosure
      title={
        <>
          <TriangleAlert size={14} aria-hidden className="shrink-0 text-warn" />
          {words.mended}
        </>
      }
      className="shrink-0 border-b border-line px-3"
      panelClassName="max-h-[40vh] overflow-auto"
    >
      <div className="flex flex-col gap-3 text-sm">
        <Remedies plans={plans} />
        <Replies plans={plans} />
      </div>
    </Disclosure>
  )
}

/** Often the same for every reply, so each is told once. */
function Remedies({ plans }: Readonly<Props>) {
  const remedies = new Set(plans.map(({ remedy }) => remedy).filter(Boolean))
  return [...remedies].map((remedy) => <p key={remedy}>{remedy}</p>)
}

function Replies({ plans }: Readonly<Props>) {
  return (
    <ol className="flex flex-col gap-4">
      {plans.map((plan) => (
        <Reply key={plan.ordinal} plan={plan} />
      ))}
    </ol>
  )
}

function Reply({ plan }: Readonly<{ plan: RejectedPlan }>) {
  const { ordinal } = plan
  const heading = useId()
  return (
    <li aria-labelledby={heading} className="flex flex-col gap-1.5">
      <h3 id={heading} className="font-semibold">
        {words.reply(ordinal, plan.endpoint)}
      </h3>
      <p className="wrap-anywhere text-ink-2">{words.problem(plan.problem)}</p>
      {plan.reply.trim() ? (
        <FoldedText text={plan.reply} copy={words.copy(ordinal)} />
      ) : (
        <p className="text-ink-3">{words.nothing}</p>
      )}
    </li>
  )
}
