import { useParams } from 'react-router'

import { formatCount } from '@/lib/format'
import { text } from '@/strings/branches'

import { GroupFilters } from './group-filters'
import { GroupTable } from './group-table'
import { StepFrame } from './step-frame'
import { useBranchFilters } from './use-branch-filters'

/** All groups of a training's step, to be filtered; each opens its branches. */
export function BranchesPage() {
  const { id = '', step: stepText = '' } = useParams()
  const step = Number(stepText)
  const { filters, clear } = useBranchFilters()
  return (
    <StepFrame job={id} step={step} title={text.title(formatCount(step))} lead={text.lead}>
      <GroupFilters job={id} step={step} />
      <GroupTable job={id} step={step} filters={filters} onClear={clear} />
    </StepFrame>
  )
}
