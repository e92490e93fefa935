import { useQuery } from '@tanstack/react-query'
import { Camera, Grid3x3 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { AgentCurves } from '@/components/agents/agent-curves'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { FormDialog } from '@/components/form-dialog'
import { named } from '@/components/options'
import { Page } from '@/components/page'
import { QueryState } from '@/components/query-state'
import { Select } from '@/components/select'
import { Tabs } from '@/components/tabs'
import { TextField } from '@/components/text-field'
import { curvesQuery } from '@/lib/api/agents'
import { api, unwrap } from '@/lib/api/client'
import { queries, useMe, oneOf } from '@/lib/api/queries'
import { useChange } from '@/lib/api/use-change'
import { formatCount } from '@/lib/format'
import { notify } from '@/lib/toasts'
import { useListFilters } from '@/lib/use-list-filters'
import { useChoiceParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'
import { text } from '@/strings/agents'

import { AgentFilters } from './agent-filters'
import { AgentList } from './agent-list'
import { SearchView } from './search-view'
import { FILTERS } from './use-agents'

const VIEWS = ['list', 'learned', 'search'] as const

/** The agent database: who there is, what was learned of them, and who would be picked. */
export function AgentsPage() {
  useTitle(text.title)
  const [view, setView] = useChoiceParam('view', VIEWS)
  return (
    <Page title={text.title} lead={text.lead} actions={<Actions />}>
      <Tabs
        label={text.views.label}
        selected={view}
        onSelect={setView}
        panelClassName="pt-4"
        items={[
          { key: 'list', label: text.views.list, content: <AgentList /> },
          { key: 'learned', label: text.views.learned, content: <CurvesView /> },
          { key: 'search', label: text.views.search, content: <SearchView /> },
        ]}
      />
    </Page>
  )
}

/** For curators: the others read. */
function Actions() {
  const [asking, setAsking] = useState<'fill' | 'snapshot' | null>(null)
  if (useMe()?.permissions.curate !== true) return null
  return (
    <div className="flex flex-wrap gap-2">
      <Button onPress={() => setAsking('fill')} icon={Grid3x3}>
        {text.fill.action}
      </Button>
      <Button onPress={() => setAsking('snapshot')} icon={Camera}>
        {text.snapshot.action}
      </Button>
      {asking === 'fill' ? <FillDialog onClose={() => setAsking(null)} /> : null}
      {asking === 'snapshot' ? <SnapshotDialog onClose={() => setAsking(null)} /> : null}
    </div>
  )
}

const { curves: words } = text
const FIRST = ['-count', '-reward', 'reward', '-cost'] as const

/** What was learned of the agents that come first, over time. */
function CurvesView() {
  const { filters } = useListFilters(FILTERS)
  const [first, setFirst] = useChoiceParam('first', FIRST)
  const { pool, role, endpoint } = filters
  const found = useQuery(
    curvesQuery({
      sort: first,
      ...(pool ? { pool } : {}),
      ...(role ? { role } : {}),
      ...(endpoint ? { endpoint } : {}),
    }),
  )
  const curves = found.data ?? []
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
        <AgentFilters />
        <Select
          label={text.sort}
          labelHidden
          className="sm:w-48"
          options={FIRST.map((key) => ({ key, label: text.orders[key] }))}
          value={first}
          onChange={setFirst}
        />
      </div>
      <QueryState of={found} />
      {found.data ? (
        <section className="relative overflow-hidden rounded-lg border border-line bg-surface-1">
          <h2 className="sr-only">{text.views.learned}</h2>
          {curves.length === 0 ? (
            <p className="max-w-prose px-4 py-8 text-ink-2">{words.none}</p>
          ) : (
            <>
              <p className="px-4 pt-3 text-xs text-ink-3">
                {words.shown(formatCount(curves.length))}
              </p>
              <AgentCurves curves={curves} over="time" />
            </>
          )}
        </section>
      ) : null}
    </div>
  )
}

const { snapshot: snapshotWords } = text

/** What is known of a pool's agents now, as a checkpoint; then it is shown. */
function SnapshotDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const navigate = useNavigate()
  const pools = useQuery(queries.pools).data ?? []
  const [wanted, setWanted] = useState<string | null>(null)
  const [label, setLabel] = useState('')
  const pool = wanted ?? oneOf(pools)?.key ?? null
  const keep = useChange(
    (key: string) => unwrap(api.POST('/api/agents/snapshot', { body: { pool: key, label } })),
    [['checkpoints']],
    ({ name }) => {
      notify(snapshotWords.done(name))
      onClose()
      void navigate(
        `/training?${new URLSearchParams({ tab: 'checkpoints', find: name }).toString()}`,
      )
    },
  )
  return (
    <FormDialog
      onClose={onClose}
      title={snapshotWords.title}
      action={snapshotWords.run}
      deed={keep}
      isDisabled={pool === null}
      onSubmit={() => {
        if (pool !== null) keep.mutate(pool)
      }}
    >
      <p className="text-ink-2">{snapshotWords.body}</p>
      <Select label={text.pool} options={named(pools)} value={pool} onChange={setWanted} />
      <TextField
        label={snapshotWords.label}
        value={label}
        onChange={setLabel}
        maxLength={200}
        placeholder={snapshotWords.labelPlaceholder}
      />
    </FormDialog>
  )
}

const { fill: fillWords } = text

/** An agent for each role of a pool on each of some endpoints. */
function FillDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const pools = useQuery(queries.pools).data ?? []
  const endpoints = (useQuery(queries.endpoints).data ?? []).filter(
    ({ enabled }) => enabled !== false,
  )
  const [wanted, setWanted] = useState<string | null>(null)
  const [without, setWithout] = useState<readonly string[]>([])
  const pool = wanted ?? oneOf(pools)?.key ?? null
  const chosen = endpoints.map(({ key }) => key).filter((key) => !without.includes(key))
  const fill = useChange(
    (key: string) =>
      unwrap(api.POST('/api/agents/fill', { body: { pool: key, endpoints: chosen } })),
    [['agents']],
    ({ agents, new: added }) => {
      notify(fillWords.done(added, agents))
      onClose()
    },
  )
  const roles = useQuery({ ...queries.pool(pool ?? ''), enabled: pool !== null }).data?.roles
  const count = (roles?.filter(({ enabled }) => enabled !== false).length ?? 0) * chosen.length
  return (
    <FormDialog
      onClose={onClose}
      title={fillWords.title}
      action={fillWords.run}
      deed={fill}
      isDisabled={pool === null || chosen.length === 0}
      onSubmit={() => {
        if (pool !== null) fill.mutate(pool)
      }}
    >
      <p className="text-ink-2">{fillWords.body}</p>
      <Select label={text.pool} options={named(pools)} value={pool} onChange={setWanted} />
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 text-xs font-medium text-ink-2">{fillWords.endpoints}</legend>
        {endpoints.map(({ key, name, model }) => (
          <Checkbox
            key={key}
            isSelected={chosen.includes(key)}
            onChange={(on) =>
              setWithout(on ? without.filter((one) => one !== key) : [...without, key])
            }
            help={model}
          >
            {name || key}
          </Checkbox>
        ))}
      </fieldset>
      <p role="status" className="text-xs text-ink-3 tabular-nums">
        {fillWords.makes(count)}
      </p>
    </FormDialog>
  )
}
