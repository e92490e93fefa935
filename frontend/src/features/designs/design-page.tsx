import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'

import { PageProblem } from '@/components/page-problem'
import { WorkingBlock } from '@/components/working'

import { text } from '@/strings/designs'

import { Designer } from './designer'
import { designQuery } from './use-designs'

export function DesignPage() {
  const { id = '' } = useParams()
  const design = useQuery(designQuery(id))
  if (design.isPending) return <WorkingBlock />
  if (design.isError)
    return <PageProblem title={text.notFound} of={design} to="/designs" toLabel={text.title} />
  return <Designer key={design.data.id} design={design.data} />
}
