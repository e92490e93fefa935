import { isEnded } from '@/graph/run-view'
import type { RunSummary } from '@/lib/api/queries'

interface Who {
  readonly username: string
  readonly permissions: { readonly admin: boolean }
}

export interface Doable {
  readonly cancel: readonly string[]
  readonly retry: readonly string[]
  readonly delete: readonly string[]
  /** Why some of them are left out above. */
  readonly underWay: number
  readonly ofOthers: number
  readonly ofEvaluations: number
}

/** With which of the runs somebody can do what, as the API would refuse it; ids in their order. */
export function doableWith(runs: readonly RunSummary[], me: Who): Doable {
  const isOwn = (run: RunSummary): boolean => me.permissions.admin || run.created_by === me.username
  const ended = runs.filter(({ status }) => isEnded(status))
  const underWay = runs.filter(({ status }) => !isEnded(status))
  const idsOf = (some: readonly RunSummary[]): string[] => some.map(({ id }) => id)
  return {
    cancel: idsOf(underWay.filter(isOwn)),
    retry: idsOf(ended),
    delete: idsOf(ended.filter((run) => isOwn(run) && run.evaluation === null)),
    underWay: underWay.length,
    ofOthers: runs.filter((run) => !isOwn(run)).length,
    ofEvaluations: runs.filter(({ evaluation }) => evaluation !== null).length,
  }
}
