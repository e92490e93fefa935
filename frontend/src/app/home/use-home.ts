import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'

import { isActive } from '@/features/evaluations/use-evaluations'
import { isWorking } from '@/features/training/use-training'
import { api, unwrap } from '@/lib/api/client'
import { queries, useMe, type Me, type RunSummary } from '@/lib/api/queries'

const ACTIVE_MS = 2_500
const REST_MS = 30_000
/** Shown of each kind; how many more there are is counted up to those asked for. */
const MOST = 4
const ASKED = 50

const every = (active: boolean): number => (active ? ACTIVE_MS : REST_MS)
const isOnItsWay = ({ status }: RunSummary): boolean => status === 'queued' || status === 'running'

interface Listed<Row> {
  readonly results: readonly Row[]
  readonly next?: string | null
}

export interface ShownOf<Row> {
  readonly rows: readonly Row[]
  readonly more: number
  /** Whether there may be still more than that. */
  readonly isOpenEnded: boolean
}

const NONE: ShownOf<never> = { rows: [], more: 0, isOpenEnded: false }

const shownOf = <Row>({ results, next }: Listed<Row>): ShownOf<Row> => ({
  rows: results.slice(0, MOST),
  more: Math.max(0, results.length - MOST),
  isOpenEnded: Boolean(next),
})

const trainingsNow = queryOptions({
  queryKey: ['trainings', 'now'],
  queryFn: () =>
    unwrap(
      api.GET('/api/training-jobs', {
        params: { query: { status: ['queued', 'running', 'pausing', 'paused'], page_size: ASKED } },
      }),
    ).then(shownOf),
  refetchInterval: ({ state }) => every(state.data?.rows.some(isWorking) ?? false),
})

const evaluationsNow = queryOptions({
  queryKey: ['evaluations', 'now'],
  queryFn: () =>
    unwrap(
      api.GET('/api/evaluations', {
        params: { query: { status: ['queued', 'running'], page_size: ASKED } },
      }),
    ).then(shownOf),
  refetchInterval: ({ state }) => every(state.data?.rows.some(isActive) ?? false),
})

const waitingRuns = queryOptions({
  queryKey: ['runs', 'waiting'],
  queryFn: () =>
    unwrap(
      api.GET('/api/runs', {
        params: { query: { status: ['waiting'], mine: true, page_size: ASKED } },
      }),
    ).then(shownOf),
  refetchInterval: REST_MS,
})

const myRuns = queryOptions({
  queryKey: ['runs', 'now'],
  queryFn: () =>
    unwrap(
      api.GET('/api/runs', {
        params: { query: { status: ['queued', 'running'], mine: true, page_size: ASKED } },
      }),
    ).then(shownOf),
  refetchInterval: ({ state }) => every(state.data?.rows.some(isOnItsWay) ?? false),
})

/** What is under way for everybody, and of the runs mine alone. Nothing while it is not known. */
export function useNowRunning() {
  const [trainings, evaluations, waiting, runs] = useQueries({
    queries: [trainingsNow, evaluationsNow, waitingRuns, myRuns],
  })
  return {
    trainings: trainings.data ?? NONE,
    evaluations: evaluations.data ?? NONE,
    waiting: waiting.data ?? NONE,
    runs: runs.data ?? NONE,
  }
}

export type Step = 'endpoint' | 'ask' | 'dataset' | 'evaluate' | 'train' | 'design'

interface StepView {
  readonly step: Step
  readonly to: string
  readonly done: boolean
}

const ONE = { params: { query: { page_size: 1 } } } as const
const beginnings = queryOptions({
  queryKey: ['home', 'beginnings'],
  queryFn: async () => {
    const [runs, datasets, evaluations, trainings, designs] = await Promise.all([
      unwrap(api.GET('/api/runs', ONE)),
      unwrap(api.GET('/api/datasets', ONE)),
      unwrap(api.GET('/api/evaluations', ONE)),
      unwrap(api.GET('/api/training-jobs', ONE)),
      unwrap(api.GET('/api/designs', ONE)),
    ])
    const begun = (page: { results: readonly unknown[] }): boolean => page.results.length > 0
    return {
      ask: begun(runs),
      dataset: begun(datasets),
      evaluate: begun(evaluations),
      train: begun(trainings),
      design: begun(designs),
    }
  },
  staleTime: REST_MS,
})

/** From a model to a trained team, what of it this studio has; null while that is not known, and
 * for who may begin nothing. */
export function useSteps(): readonly StepView[] | null {
  const me = useMe()
  const begun = useQuery({ ...beginnings, enabled: me?.permissions.run === true }).data
  const endpoints = useQuery(queries.endpoints).data
  if (!me || !begun || !endpoints) return null
  return stepsOf(
    me,
    begun,
    endpoints.some(({ enabled }) => enabled),
  )
}

export function stepsOf(
  { permissions }: Pick<Me, 'permissions'>,
  begun: Readonly<Record<Exclude<Step, 'endpoint'>, boolean>>,
  hasEndpoint: boolean,
): readonly StepView[] | null {
  if (!permissions.run) return null
  return [
    ...(permissions.curate || !hasEndpoint
      ? [{ step: 'endpoint' as const, to: '/endpoints', done: hasEndpoint }]
      : []),
    { step: 'ask', to: '/', done: begun.ask },
    { step: 'design', to: '/designs', done: begun.design },
    { step: 'dataset', to: '/datasets', done: begun.dataset },
    { step: 'evaluate', to: '/evaluations/new', done: begun.evaluate },
    { step: 'train', to: '/training/new', done: begun.train },
  ]
}
