import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { ButtonLink } from '@/components/button-link'
import { Page } from '@/components/page'
import { PageProblem } from '@/components/page-problem'
import { TextLink } from '@/components/text-link'
import { WorkingBlock } from '@/components/working'
import { formatCount } from '@/lib/format'
import { useTitle } from '@/lib/use-title'
import { text as branches } from '@/strings/branches'
import { text as training } from '@/strings/training'

import { nearestStep } from './curves'
import { isGone, jobQuery } from './use-training'

export interface StepFrameProps {
  job: string
  step: number
  title: string
  /** Above the title, behind the training's name. */
  crumb?: ReactNode
  lead?: string
  children: ReactNode
}

interface Props extends StepFrameProps {
  /** Steps of which something is kept. */
  steps: Pick<UseQueryResult<number[]>, 'data' | 'isSuccess'>
  addressOf: (step: number) => string
  words: {
    readonly notKept: (step: string, near: string) => string
    readonly openStep: (step: string) => string
  }
  /** Beside the way to other steps, where the step is kept. */
  actions?: ReactNode
}

/** The frame of a page of what a training keeps of its steps: whose it is, and the way to other steps. */
export function StepFrame(props: Readonly<Props>) {
  const { job: id, step, title, crumb, lead, children, steps, addressOf, words, actions } = props
  useTitle(title)
  const job = useQuery(jobQuery(id))
  if (job.isPending) return <WorkingBlock />
  if (!job.data || isGone(job.error))
    return (
      <PageProblem title={training.missing} of={job} to="/training" toLabel={training.others} />
    )
  const kept = steps.data ?? []
  const near = nearestStep(kept, step)
  return (
    <Page
      title={
        <>
          <span className="block pb-0.5 text-sm font-normal tracking-normal text-ink-2">
            <TextLink to={`/training/${id}?step=${step}`}>{job.data.name}</TextLink>
            {crumb === undefined ? null : <> / {crumb}</>}
          </span>
          {title}
        </>
      }
      lead={lead}
      actions={
        <div className="flex flex-wrap items-center gap-1.5">
          <OtherSteps {...{ step, kept, addressOf }} />
          {kept.includes(step) ? actions : null}
        </div>
      }
    >
      {steps.isSuccess && near !== null && !kept.includes(step) ? (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          {words.notKept(formatCount(step), formatCount(near))}
          <ButtonLink size="sm" to={addressOf(near)}>
            {words.openStep(formatCount(near))}
          </ButtonLink>
        </p>
      ) : (
        children
      )}
    </Page>
  )
}

interface StepsProps {
  step: number
  kept: readonly number[]
  addressOf: (step: number) => string
}

/** The kept steps before and after, with the same filters. */
function OtherSteps({ step, kept, addressOf }: Readonly<StepsProps>) {
  const { search } = useLocation()
  const before = kept.findLast((each) => each < step)
  const after = kept.find((each) => each > step)
  const look = buttonClass({ size: 'sm' })
  return (
    <nav aria-label={branches.steps} className="flex items-center gap-1">
      {before === undefined ? null : (
        <Link
          to={{ pathname: addressOf(before), search }}
          aria-label={branches.earlier(formatCount(before))}
          className={look}
        >
          <ChevronLeft size={14} aria-hidden />
          {formatCount(before)}
        </Link>
      )}
      {after === undefined ? null : (
        <Link
          to={{ pathname: addressOf(after), search }}
          aria-label={branches.later(formatCount(after))}
          className={look}
        >
          {formatCount(after)}
          <ChevronRight size={14} aria-hidden />
        </Link>
      )}
    </nav>
  )
}
