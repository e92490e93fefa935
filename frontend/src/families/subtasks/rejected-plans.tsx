import { TriangleAlert } from 'lucide-react'
import { useId } from 'react'

import { Disclosure } from '@/components/disclosure'
import { Notice } from '@/components/notice'
import { useRun } from '@/components/run/run-context'
import { ScrollRegion } from '@/components/scroll-region'
import { hasStopped } from '@/graph/run-view'

import { FoldedText } from './folded-text'
import type { RejectedPlan } from './use-planning'
import { text } from './view-words'

const { unplanned: words } = text

interface Props {
  plans: readonly RejectedPlan[]
}

/** In place of the graph: nothing that a planner wrote is one. */
export function NothingPlanned({ plans }: Readonly<Props>) {
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
export function MendedPlan({ plans }: Readonly<Props>) {
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
