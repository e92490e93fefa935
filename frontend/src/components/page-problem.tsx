import { toApiError } from '@/lib/api/errors'

import { ButtonLink } from './button-link'
import { ErrorPanel } from './error-panel'

interface Props {
  title: string
  of: { readonly error: unknown; readonly refetch: () => unknown }
  /** Where the reader goes on from here. */
  to: string
  toLabel: string
}

/** A page whose subject cannot be shown: why, and the way to the others. */
export function PageProblem({ title, of, to, toLabel }: Readonly<Props>) {
  const problem = toApiError(of.error)
  const canRetry = problem.code !== 'not_found'
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-start gap-3 p-6">
      <h1 className="text-lg font-semibold">{title}</h1>
      <div className="w-full">
        <ErrorPanel problem={problem} onRetry={canRetry ? () => void of.refetch() : undefined} />
      </div>
      <ButtonLink to={to}>{toLabel}</ButtonLink>
    </div>
  )
}
