import { useQuery } from '@tanstack/react-query'
import { Cpu, Rows3, Users } from 'lucide-react'
import { useParams } from 'react-router'

import { Badge } from '@/components/badge'
import { ButtonLink } from '@/components/button-link'
import { FamilyMark } from '@/components/family-mark'
import { Page } from '@/components/page'
import { PageProblem } from '@/components/page-problem'
import { WorkingBlock } from '@/components/working'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

import { text } from '@/strings/agents'

import { LearningCard } from './learning-card'
import { ProfileCard } from './profile-card'
import { UsageCard } from './usage-card'
import { agentQuery, runsOf, type Agent } from './use-agents'

const { page: words } = text

export function AgentPage() {
  const id = Number(useParams().id)
  const found = useQuery(agentQuery(id))
  const agent = found.data
  useTitle(agent ? nameOf(agent) : text.title)
  if (found.isPending) return <WorkingBlock />
  if (!agent)
    return <PageProblem title={words.missing} of={found} to="/agents" toLabel={words.back} />
  return (
    <Page
      title={nameOf(agent)}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <FamilyMark family={agent.family} />
          <span className="text-xs text-ink-3">{agent.pool_name}</span>
          {agent.role_removed ? <Badge tone="warn">{words.roleRemoved}</Badge> : null}
          {agent.endpoint_enabled ? null : <Badge tone="warn">{strings.common.disabled}</Badge>}
        </span>
      }
      actions={<Ways agent={agent} />}
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <UsageCard agent={agent} />
          <LearningCard agent={agent} />
        </div>
        <ProfileCard agent={agent} />
      </div>
    </Page>
  )
}

const nameOf = ({ role_name, endpoint_name, endpoint }: Agent): string =>
  words.on(role_name, endpoint_name || endpoint)

function Ways({ agent }: Readonly<{ agent: Agent }>) {
  const role = new URLSearchParams({ pool: agent.pool, role: agent.role_key }).toString()
  return (
    <div className="flex flex-wrap gap-2">
      <ButtonLink to={runsOf(agent)} icon={Rows3}>
        {words.runs}
      </ButtonLink>
      <ButtonLink to={`/roles?${role}`} icon={Users}>
        {words.roleLink}
      </ButtonLink>
      <ButtonLink to={`/endpoints#${agent.endpoint}`} icon={Cpu}>
        {strings.nav.endpoints}
      </ButtonLink>
    </div>
  )
}
