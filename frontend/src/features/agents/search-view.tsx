import { useMutation, useQuery } from '@tanstack/react-query'
import { Search as SearchIcon } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { CheckpointSelect } from '@/components/checkpoint-select'
import { Disclosure } from '@/components/disclosure'
import { EndpointsSelect } from '@/components/endpoint-select'
import { ErrorPanel } from '@/components/error-panel'
import { NumberField } from '@/components/number-field'
import { named } from '@/components/options'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import { queries, oneOf } from '@/lib/api/queries'

import { text } from '@/strings/agents'

import { bodyOf, NEW_SEARCH, type SearchDraft } from './search-draft'
import { SearchResult } from './search-result'

const { search: words } = text
const MOST_CHARS = 4_000
const MOST_CANDIDATES = 20
const MOST_ENDPOINTS = 50
const AT_FIELDS =
  /^(text|pool|endpoints(\.\d+)?|checkpoint|k|threshold|gate|exploration|exploration_weight|cost_weight)$/

/** A subtask, and who of a pool would be picked for it by what is known now or in a checkpoint. */
export function SearchView() {
  const pools = useQuery(queries.pools).data ?? []
  const keeper = useQuery(queries.methods).data?.find(({ keeps_agents }) => keeps_agents)
  const [draft, setDraft] = useState(NEW_SEARCH)
  const pool = draft.pool ?? oneOf(pools)?.key ?? null
  const search = useMutation({
    mutationFn: (key: string) =>
      unwrap(api.POST('/api/agents/search', { body: bodyOf(draft, key) })),
  })
  const error = search.error ? toApiError(search.error) : null
  const change = (part: Partial<SearchDraft>): void => setDraft({ ...draft, ...part })
  const isElsewhere = error !== null && !error.fields.some(({ field }) => AT_FIELDS.test(field))
  const ask = (): void => {
    if (pool !== null && draft.text.trim()) search.mutate(pool)
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(18rem,1fr)_minmax(0,2.4fr)]">
      <Card title={words.title}>
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            ask()
          }}
        >
          <TextArea
            label={words.text}
            placeholder={words.placeholder}
            maxLength={MOST_CHARS}
            value={draft.text}
            onChange={(written) => change({ text: written })}
            {...errorOf(error, 'text')}
          />
          <Select
            label={text.pool}
            options={named(pools)}
            value={pool}
            onChange={(key) => change({ pool: key })}
            {...errorOf(error, 'pool')}
          />
          <CheckpointSelect
            label={words.statistics}
            noneLabel={words.live}
            method={keeper?.key ?? null}
            learns
            value={draft.checkpoint}
            onChange={(checkpoint) => change({ checkpoint })}
            error={fieldMessage(error, 'checkpoint')}
          />
          <Disclosure title={words.settings} hint={words.settingsHint}>
            <Settings draft={draft} change={change} error={error} />
          </Disclosure>
          <Button
            type="submit"
            variant="primary"
            isPending={search.isPending}
            isDisabled={pool === null || !draft.text.trim()}
            icon={SearchIcon}
          >
            {words.run}
          </Button>
          {isElsewhere ? <ErrorPanel problem={error} /> : null}
        </form>
      </Card>
      {search.data ? (
        <SearchResult found={search.data} />
      ) : (
        <Card title={words.answer}>
          <p className="max-w-prose text-ink-2">{words.explanation}</p>
        </Card>
      )}
    </div>
  )
}

interface SettingsProps {
  draft: SearchDraft
  change: (part: Partial<SearchDraft>) => void
  error: ApiError | null
}

/** The settings of ReSo's search, by the names that they have in its runs and trainings. */
function Settings({ draft, change, error }: Readonly<SettingsProps>) {
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <div className="col-span-2">
        <EndpointsSelect
          label={words.endpoints}
          help={words.endpointsHelp}
          value={draft.endpoints}
          maximum={MOST_ENDPOINTS}
          onChange={(endpoints) => change({ endpoints })}
          error={fieldMessage(error, 'endpoints')}
        />
      </div>
      <NumberField
        label={words.k}
        integer
        minimum={1}
        maximum={MOST_CANDIDATES}
        value={draft.k}
        onChange={(k) => change({ k: k ?? NEW_SEARCH.k })}
        {...errorOf(error, 'k')}
      />
      <NumberField
        label={words.threshold}
        minimum={-1}
        maximum={1}
        value={draft.threshold}
        onChange={(threshold) => change({ threshold: threshold ?? NEW_SEARCH.threshold })}
        {...errorOf(error, 'threshold')}
      />
      <Select
        label={words.gate}
        options={(['heaviside', 'sigmoid'] as const).map((key) => ({
          key,
          label: words.gates[key],
        }))}
        value={draft.gate}
        onChange={(gate) => change({ gate: gate === 'sigmoid' ? gate : 'heaviside' })}
      />
      <NumberField
        label={words.costWeight}
        minimum={0}
        value={draft.costWeight}
        onChange={(weight) => change({ costWeight: weight ?? NEW_SEARCH.costWeight })}
        {...errorOf(error, 'cost_weight')}
      />
      <Select
        label={words.exploration}
        options={(['paper', 'log'] as const).map((key) => ({
          key,
          label: words.explorations[key],
        }))}
        value={draft.exploration}
        onChange={(form) => change({ exploration: form === 'log' ? form : 'paper' })}
      />
      <NumberField
        label={words.explorationWeight}
        minimum={0}
        value={draft.explorationWeight}
        onChange={(weight) => change({ explorationWeight: weight ?? NEW_SEARCH.explorationWeight })}
        {...errorOf(error, 'exploration_weight')}
      />
    </div>
  )
}

function errorOf(error: ApiError | null, field: string): { error?: string } {
  const message = fieldMessage(error, field)
  return message === undefined ? {} : { error: message }
}
