import { createBrowserRouter, type RouteObject } from 'react-router'

import { WorkingBlock } from '@/components/working'

import { CrashPage, NotFoundPage } from './crash-page'
import { lazyPage } from './lazy-page'
import { Shell } from './shell'

/** Each page is its own chunk: the first load carries only the shell and the page asked for. */
const pages: RouteObject[] = [
  {
    index: true,
    lazy: lazyPage(async () => (await import('./home/home-page')).HomePage),
  },
  {
    path: 'runs',
    lazy: lazyPage(async () => (await import('@/features/runs/runs-page')).RunsPage),
  },
  {
    path: 'runs/compare',
    lazy: lazyPage(async () => (await import('@/features/compare/compare-page')).ComparePage),
  },
  {
    path: 'runs/:id',
    lazy: lazyPage(async () => (await import('@/features/run/run-page')).RunPage),
  },
  {
    path: 'sample/:method?',
    lazy: lazyPage(async () => (await import('@/features/run/sample-page')).SamplePage),
  },
  {
    path: 'designs',
    lazy: lazyPage(async () => (await import('@/features/designs/designs-page')).DesignsPage),
  },
  {
    path: 'designs/:id',
    lazy: lazyPage(async () => (await import('@/features/designs/design-page')).DesignPage),
  },
  {
    path: 'evaluations',
    lazy: lazyPage(
      async () => (await import('@/features/evaluations/evaluations-page')).EvaluationsPage,
    ),
  },
  {
    path: 'evaluations/new',
    lazy: lazyPage(
      async () => (await import('@/features/evaluations/new-evaluation-page')).NewEvaluationPage,
    ),
  },
  {
    path: 'evaluations/:id',
    lazy: lazyPage(
      async () => (await import('@/features/evaluations/evaluation-page')).EvaluationPage,
    ),
  },
  {
    path: 'training',
    lazy: lazyPage(async () => (await import('@/features/training/trainings-page')).TrainingsPage),
  },
  {
    path: 'training/new',
    lazy: lazyPage(
      async () => (await import('@/features/training/new-training-page')).NewTrainingPage,
    ),
  },
  {
    path: 'training/team',
    lazy: lazyPage(async () => (await import('@/features/training/team/team-page')).TeamPage),
  },
  {
    path: 'training/:id',
    lazy: lazyPage(async () => (await import('@/features/training/training-page')).TrainingPage),
  },
  {
    path: 'training/:id/designs/:step',
    lazy: lazyPage(
      async () => (await import('@/features/training/designs/designs-page')).DesignsPage,
    ),
  },
  {
    path: 'training/:id/designs/:step/:question/:design/:execution',
    lazy: lazyPage(
      async () => (await import('@/features/training/designs/execution-page')).ExecutionPage,
    ),
  },
  {
    path: 'training/:id/branches/:step',
    lazy: lazyPage(
      async () => (await import('@/features/training/branches/branches-page')).BranchesPage,
    ),
  },
  {
    path: 'training/:id/branches/:step/:episode/:agent/:turn',
    lazy: lazyPage(async () => (await import('@/features/training/branches/group-page')).GroupPage),
  },
  {
    path: 'datasets',
    lazy: lazyPage(async () => (await import('@/features/datasets/datasets-page')).DatasetsPage),
  },
  {
    path: 'datasets/:key',
    lazy: lazyPage(async () => (await import('@/features/datasets/dataset-page')).DatasetPage),
  },
  {
    path: 'roles',
    lazy: lazyPage(async () => (await import('@/features/roles/roles-page')).RolesPage),
  },
  {
    path: 'agents',
    lazy: lazyPage(async () => (await import('@/features/agents/agents-page')).AgentsPage),
  },
  {
    path: 'agents/:id',
    lazy: lazyPage(async () => (await import('@/features/agents/agent-page')).AgentPage),
  },
  {
    path: 'endpoints',
    lazy: lazyPage(async () => (await import('@/features/endpoints/endpoints-page')).EndpointsPage),
  },
  {
    path: 'webhooks',
    lazy: lazyPage(async () => (await import('@/features/webhooks/webhooks-page')).WebhooksPage),
  },
  {
    path: 'tokens',
    lazy: lazyPage(async () => (await import('@/features/tokens/tokens-page')).TokensPage),
  },
  { path: '*', Component: NotFoundPage },
]

export const createRouter = () =>
  createBrowserRouter([
    {
      path: '/login',
      ErrorBoundary: CrashPage,
      HydrateFallback: WorkingBlock,
      lazy: lazyPage(async () => (await import('@/features/login/login-page')).LoginPage),
    },
    {
      path: '/shared/:token',
      ErrorBoundary: CrashPage,
      HydrateFallback: WorkingBlock,
      lazy: lazyPage(async () => (await import('@/features/run/shared-page')).SharedPage),
    },
    {
      path: '/',
      Component: Shell,
      ErrorBoundary: CrashPage,
      HydrateFallback: WorkingBlock,
      children: pages.map((page) => ({ ...page, ErrorBoundary: CrashPage })),
    },
  ])
