import { toApiError } from '@/lib/api/errors'

import { ErrorPanel } from './error-panel'
import { WorkingBlock } from './working'

interface Asked {
  readonly error: unknown
  readonly isPending: boolean
  readonly isError: boolean
  readonly refetch: () => Promise<unknown>
}

/** Why a query failed, and the way to ask again. */
export const QueryError = ({ of }: Readonly<{ of: Pick<Asked, 'error' | 'refetch'> }>) => (
  <ErrorPanel problem={toApiError(of.error)} onRetry={() => void of.refetch()} />
)

/** What stands before an answer, and in its place when none came. */
export function QueryState({ of }: Readonly<{ of: Asked }>) {
  if (of.isPending) return <WorkingBlock />
  return of.isError ? <QueryError of={of} /> : null
}

/** Why a change was refused. */
export const Refusal = ({ of }: Readonly<{ of: Pick<Asked, 'error'> }>) =>
  of.error ? <ErrorPanel problem={toApiError(of.error)} /> : null
