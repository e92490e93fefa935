import { CircleAlert, RotateCw } from 'lucide-react'

import { strings } from '@/strings/studio'

import { Button } from './button'

/** Also the shape of an event's `Failure`. */
export interface PanelProblem {
  readonly code: string
  readonly message: string
  readonly remedy?: string | undefined
}

interface Props {
  problem: PanelProblem
  title?: string
  onRetry?: () => void
  retryLabel?: string
}

/** What went wrong, what to do about it, and the stable code to look up or quote. */
export function ErrorPanel(props: Readonly<Props>) {
  const { problem, title, onRetry, retryLabel = strings.errors.retry } = props
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3"
    >
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        {title ? <p className="font-semibold">{title}</p> : null}
        <p className={title ? '' : 'font-medium'}>{problem.message}</p>
        {problem.remedy ? <p className="text-ink-2">{problem.remedy}</p> : null}
        <p className="mt-1 font-mono text-xs text-ink-2">{problem.code}</p>
      </div>
      {onRetry ? (
        <Button size="sm" onPress={onRetry} icon={<RotateCw size={12} aria-hidden />}>
          {retryLabel}
        </Button>
      ) : null}
    </div>
  )
}
