import { useQuery } from '@tanstack/react-query'

import { ExportMenu } from '@/components/export-menu'
import { text } from '@/strings/branches'

import { StepFrame as Frame, type StepFrameProps } from '@/features/training/step-frame'
import { jobQuery } from '@/features/training/use-training'
import { stepAddress } from './group'
import { useBranchFilters } from './use-branch-filters'
import { fileAddress, stepsQuery } from './use-branches'

const WORDS = { notKept: text.notKept, openStep: text.group.openStep }

/** The frame of the pages of a step's branches: whose they are, other steps, the file. */
export function StepFrame(props: Readonly<StepFrameProps>) {
  const { job: id, step } = props
  const job = useQuery(jobQuery(id))
  const steps = useQuery({
    ...stepsQuery(id, job.data?.step ?? 0),
    enabled: job.data !== undefined,
  })
  return (
    <Frame
      {...props}
      steps={steps}
      addressOf={(to) => stepAddress(id, to)}
      words={WORDS}
      actions={<BranchFiles job={id} step={step} />}
    />
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
