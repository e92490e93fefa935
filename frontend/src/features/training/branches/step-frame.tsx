import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { ButtonLink } from '@/components/button-link'
import { ExportMenu } from '@/components/export-menu'
import { Page } from '@/components/page'
import { PageProblem } from '@/components/page-problem'
import { TextLink } from '@/components/text-link'
import { WorkingBlock } from '@/components/working'
import { formatCount } from '@/lib/format'
import { useTitle } from '@/lib/use-title'
import { text } from '@/strings/branches'
import { text as training } from '@/strings/training'

import { nearestStep } from '@/features/training/curves'
import { isGone, jobQuery } from '@/features/training/use-training'
import { stepAddress } from './group'
import { useBranchFilters } from './use-branch-filters'
import { fileAddress, stepsQuery } from './use-branches'

interface Props {
  job: string
  step: number
  title: string
  /** Above the title, behind the training's name. */
  crumb?: ReactNode
  lead?: string
  children: ReactNode
}

/** The frame of the pages of a step's branches: whose they are, other steps, the file. */
export function StepFrame({ job: id, step, title, crumb, lead, children }: Readonly<Props>) {
  useTitle(title)
  const job = useQuery(jobQuery(id))
  const steps = useQuery({
    ...stepsQuery(id, job.data?.step ?? 0),
    enabled: job.data !== undefined,
  })
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
          <OtherSteps job={id} step={step} kept={kept} />
          {kept.includes(step) ? <BranchFiles job={id} step={step} /> : null}
        </div>
      }
    >
      {steps.isSuccess && near !== null && !kept.includes(step) ? (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          {text.notKept(formatCount(step), formatCount(near))}
          <ButtonLink size="sm" to={stepAddress(id, near)}>
            {text.group.openStep(formatCount(near))}
          </ButtonLink>
        </p>
      ) : (
        children
      )}
    </Page>
  )
}

/** Those that the filters in the address leave. */
function BranchFiles({ job, step }: Readonly<{ job: string; step: number }>) {
  const { filters, isFiltered } = useBranchFilters()
  const names = isFiltered ? text.export.filtered : text.export.all
  const files = {
    [fileAddress(job, step, filters, 'parquet')]: names.parquet,
    [fileAddress(job, step, filters, 'jsonl')]: names.jsonl,
  }
  return <ExportMenu label={text.export.label} files={files} />
}

/** The kept steps before and after, with the same filters. */
function OtherSteps({
  job,
  step,
  kept,
}: Readonly<{ job: string; step: number; kept: readonly number[] }>) {
  const { search } = useLocation()
  const before = kept.findLast((each) => each < step)
  const after = kept.find((each) => each > step)
  const look = buttonClass({ size: 'sm' })
  return (
    <nav aria-label={text.steps} className="flex items-center gap-1">
      {before === undefined ? null : (
        <Link
          to={{ pathname: stepAddress(job, before), search }}
          aria-label={text.earlier(formatCount(before))}
          className={look}
        >
          <ChevronLeft size={14} aria-hidden />
          {formatCount(before)}
        </Link>
      )}
      {after === undefined ? null : (
        <Link
          to={{ pathname: stepAddress(job, after), search }}
          aria-label={text.later(formatCount(after))}
          className={look}
        >
          {formatCount(after)}
          <ChevronRight size={14} aria-hidden />
        </Link>
      )}
    </nav>
  )
}
