import { Link } from 'react-router'

import { toApiError } from '@/lib/api/errors'

import { buttonClass } from './button-class'
import { ErrorPanel } from './error-panel'

interface Props {
  title: string
  error: unknown
  onRetry: () => void
  /** Where the reader goes on from here. */
  to: string
  toLabel: string
}

/** A page whose subject cannot be shown: why, and the way to the others. */
export function PageProblem({ title, error, onRetry, to, toLabel }: Readonly<Props>) {
  const problem = toApiError(error)
  const canRetry = problem.code !== 'not_found'
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-start gap-3 p-6">
      <h1 className="text-lg font-semibold">{title}</h1>
      <div className="w-full">
        <ErrorPanel problem={problem} {...(canRetry ? { onRetry } : {})} />
      </div>
      <Link to={to} className={buttonClass()}>
        {toLabel}
      </Link>
    </div>
  )
}
