import { useQuery } from '@tanstack/react-query'

import { AgentCurves } from '@/components/agents/agent-curves'
import { Card } from '@/components/card'
import { ErrorPanel } from '@/components/error-panel'
import { WorkingBlock } from '@/components/working'
import { curvesQuery } from '@/lib/api/agents'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { text as agents } from '@/strings/agents'

import { text } from '@/strings/training'
import type { Training } from './use-training'

/** Of which methods agents are rewarded. */
export const rewardsAgents = ({ method }: Pick<Training, 'method'>): boolean => method === 'reso'

/** What a training's own rewards come to, agent by agent; asked for again after each step. */
export function JobAgents({ job }: Readonly<{ job: Training }>) {
  const found = useQuery(curvesQuery({ job: job.id }, job.step))
  const { curves: words } = agents
  if (found.isPending) return <WorkingBlock />
  if (!found.data)
    return <ErrorPanel problem={toApiError(found.error)} onRetry={() => void found.refetch()} />
  const curves = found.data
  return (
    <Card flush title={text.views.agentsTitle}>
      {curves.length === 0 ? (
        <p className="px-4 py-8 text-ink-2">{words.noneOfJob}</p>
      ) : (
        <>
          <p className="px-4 pt-3 text-xs text-ink-3">
            {words.shownOfJob(formatCount(curves.length))}
          </p>
          <AgentCurves curves={curves} over="steps" />
        </>
      )}
    </Card>
  )
}
