import { queryOptions, useQuery } from '@tanstack/react-query'
import { Play, SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ErrorPanel } from '@/components/error-panel'
import { Fact } from '@/components/fact'
import { Page } from '@/components/page'
import { QueryError } from '@/components/query-state'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { WorkingBlock } from '@/components/working'
import { emptyDraft, useTrainingDraft } from '@/features/training/form-draft'
import { trainableQuery, type TrainableMethod } from '@/features/training/use-training'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { queries, useMe, type Game } from '@/lib/api/queries'
import { formatBytes, formatCompact, formatCount, UNKNOWN } from '@/lib/format'
import { useTitle } from '@/lib/use-title'
import { text } from '@/strings/team'
import { text as training } from '@/strings/training'

import { LessonFields, type FieldsProps } from './lesson-fields'
import {
  configOf,
  datasetKey,
  EPISODES,
  heldOutOf,
  HUB,
  isForNano,
  levelsOf,
  METHOD,
  modelOf,
  NANO,
  newTeam,
  ofModel,
  presetOf,
  takesOf,
  type Model,
  type TeamDraft,
} from './team'
import { useStartTeam } from './use-start-team'

const modelsQuery = queryOptions({
  queryKey: ['training-models'],
  queryFn: () => unwrap(api.GET('/api/training/models')),
})

const datasetsQuery = queryOptions({
  queryKey: ['trainable-datasets', METHOD],
  queryFn: () =>
    unwrap(
      api.GET('/api/training/methods/{method}/datasets', { params: { path: { method: METHOD } } }),
    ),
})

/** Of a hub's model it is unknown before the training has fetched it. */
const memoryQuery = (draft: TeamDraft) => {
  const body = { method: METHOD, preset: presetOf(draft), config: configOf(draft) }
  return queryOptions({
    queryKey: ['training-memory', draft.model, body],
    queryFn: ({ signal }) => unwrap(api.POST('/api/training-jobs/memory', { body, signal })),
    enabled: draft.model !== HUB,
    retry: false,
    // Meanwhile that of other settings. Another model's would mislead.
    placeholderData: (before, query) => (query?.queryKey[1] === draft.model ? before : undefined),
  })
}

/** From nothing to a training of a team of language models, by a few choices. */
export function TeamPage() {
  useTitle(text.title)
  const games = useQuery(queries.games)
  const methods = useQuery(trainableQuery)
  const models = useQuery(modelsQuery)
  const failed = [games, methods, models].find(({ isError }) => isError)
  return (
    <Page title={text.title} lead={text.lead} width="narrow">
      {failed ? <QueryError of={failed} /> : null}
      {games.data && methods.data && models.data ? (
        <Known games={games.data} methods={methods.data} models={models.data} />
      ) : failed ? null : (
        <WorkingBlock />
      )}
    </Page>
  )
}

interface KnownProps {
  games: readonly Game[]
  methods: readonly TrainableMethod[]
  models: readonly Model[]
}

function Known({ games, methods, models }: Readonly<KnownProps>) {
  const method = methods.find((each) => each.method === METHOD)
  const [first] = games
  if (!method) return <p className="text-ink-2">{text.noMethod}</p>
  if (!first) return <p className="text-ink-2">{text.noGame}</p>
  return <TeamForm games={games} first={first} method={method} models={models} />
}

interface FormProps {
  games: readonly Game[]
  first: Game
  method: TrainableMethod
  models: readonly Model[]
}

function TeamForm({ games, first, method, models }: Readonly<FormProps>) {
  const [draft, setDraft] = useState(() => newTeam(first.key))
  const { start, isMaking } = useStartTeam()
  const game = games.find(({ key }) => key === draft.game) ?? first
  const trainable = useQuery(datasetsQuery)
  const there = useThere(draft, game)
  const obstacle = useObstacle(draft, there !== 0)
  const error = start.error ? toApiError(start.error) : null
  const change = (next: TeamDraft): void => {
    setDraft(next)
    start.reset()
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-4" inert={start.isPending}>
        <LessonFields
          games={games}
          datasets={trainable.data ?? []}
          models={models}
          method={method}
          game={game}
          draft={draft}
          onChange={change}
          error={error}
        />
        {trainable.isError ? <QueryError of={trainable} /> : null}
        <ModelFields
          models={isForNano(draft, games) ? models : models.filter(({ name }) => name !== NANO)}
          draft={draft}
          onChange={change}
          error={error}
        />
      </div>
      <TakesCard draft={draft} method={method} there={there} />
      {error ? <ErrorPanel title={text.problems} problem={error} /> : null}
      <footer className="flex flex-wrap items-center justify-end gap-3">
        <p role="status" className="min-w-0 flex-1 basis-60 text-sm text-ink-2">
          {isMaking ? text.making : null}
          {obstacle === null ? null : <span className="text-bad">{obstacle}</span>}
        </p>
        <AllSettings draft={draft} dataset={there ? datasetKey(draft, game) : null} />
        <Button
          variant="primary"
          size="lg"
          isDisabled={obstacle !== null || there === null}
          isPending={start.isPending}
          onPress={() => start.mutate({ draft, game, hasEpisodes: there !== 0 })}
          icon={<Play size={14} aria-hidden fill="currentColor" />}
        >
          {text.start}
        </Button>
      </footer>
    </div>
  )
}

/** How many tasks there are to learn from; null while unknown. */
function useThere(draft: TeamDraft, game: Game): number | null {
  const datasets = useQuery(queries.datasets).data
  if (draft.dataset) return draft.dataset.tasks
  if (!datasets) return null
  return datasets.find(({ key }) => key === datasetKey(draft, game))?.splits.train ?? 0
}

/** Why the training can't start; null: it can. */
function useObstacle(draft: TeamDraft, hasEpisodes: boolean): string | null {
  const permissions = useMe()?.permissions
  if (permissions?.run !== true) return training.form.viewer
  if (modelOf(draft) === '') return text.needsModel
  return hasEpisodes || permissions.curate ? null : text.needsCurator
}

interface ModelProps extends FieldsProps {
  models: readonly Model[]
}

function ModelFields({ models, draft, onChange, error }: Readonly<ModelProps>) {
  const problem = fieldMessage(error, 'config.model')
  const levels = levelsOf(draft.model)
  return (
    <Card title={text.who}>
      <div className="grid items-start gap-x-3 gap-y-4 sm:grid-cols-2">
        <Select
          label={text.model}
          options={[
            ...models.map(({ name, parameters }) => ({
              key: name,
              label: name,
              description: [
                name === NANO ? text.nano : text.local,
                text.parameters(formatCompact(parameters)),
              ].join(' · '),
            })),
            { key: HUB, label: text.hub, description: text.hubHelp },
          ]}
          value={draft.model}
          onChange={(model) => onChange(ofModel(draft, model))}
          {...(draft.model === NANO ? { help: text.nano } : {})}
          {...(draft.model === HUB || problem === undefined ? {} : { error: problem })}
        />
        <Select
          label={text.level}
          options={levels.map((key) => ({
            key,
            label: text.levels[key][0],
            description: text.levels[key][1],
          }))}
          value={draft.level}
          onChange={(key) =>
            onChange({ ...draft, level: levels.find((level) => level === key) ?? 'shared' })
          }
          help={text.levels[draft.level][1]}
        />
        {draft.model === HUB ? (
          <TextField
            autoFocus
            mono
            label={text.hubName}
            help={text.hubHelp}
            placeholder={text.hubExample}
            value={draft.hubName}
            onChange={(hubName) => onChange({ ...draft, hubName })}
            {...(problem === undefined ? {} : { error: problem })}
            className="sm:col-span-2"
          />
        ) : null}
      </div>
    </Card>
  )
}

interface TakesProps {
  draft: TeamDraft
  method: TrainableMethod
  /** How many tasks exist; null while unknown. */
  there: number | null
}

function TakesCard({ draft, method, there }: Readonly<TakesProps>) {
  const { coldSteps, steps, tokens } = takesOf(draft, method)
  const memory = useQuery(memoryQuery(draft)).data?.memory
  const made = EPISODES.train + EPISODES.dev + EPISODES.test
  return (
    <Card title={text.takes}>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <Fact name={text.steps}>{text.stepsOf(formatCount(coldSteps), formatCount(steps))}</Fact>
        {draft.dataset && there !== null ? (
          <Fact name={text.ofTasks}>
            {text.tasksHeldOut(there, formatCount(there), heldOutOf(draft))}
          </Fact>
        ) : (
          <Fact name={text.episodes}>
            {there === null ? UNKNOWN : null}
            {there === 0 ? text.episodesMade(made, formatCount(made)) : null}
            {there ? text.episodesThere(there, formatCount(there)) : null}
          </Fact>
        )}
        <Fact name={text.tokens}>{text.atMost(formatCompact(tokens))}</Fact>
        <Fact name={text.memory} title={text.memoryHelp}>
          {memory ? text.upTo(formatBytes(memory.total)) : text.unknown}
        </Fact>
        <Fact name={text.time} title={text.timeHelp}>
          {text.timeNote}
        </Fact>
      </dl>
    </Card>
  )
}

/** The form with every setting, filled in as here. */
function AllSettings({ draft, dataset }: Readonly<{ draft: TeamDraft; dataset: string | null }>) {
  const navigate = useNavigate()
  const change = useTrainingDraft((known) => known.change)
  const open = (): void => {
    change({
      ...emptyDraft(),
      method: METHOD,
      preset: presetOf(draft),
      dataset,
      config: configOf(draft),
    })
    void navigate('/training/new')
  }
  return (
    <Button size="lg" variant="quiet" onPress={open} icon={SlidersHorizontal}>
      {text.all}
    </Button>
  )
}
