import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

import { cx } from './cx'

interface Props {
  tone?: 'warn' | 'neutral'
  title: ReactNode
  children?: ReactNode
}

/** What a reader should know before reading on. */
export function Notice({ tone = 'neutral', title, children }: Readonly<Props>) {
  const Icon = tone === 'warn' ? TriangleAlert : Info
  return (
    <div
      className={cx(
        'flex items-start gap-3 rounded-lg border px-4 py-2.5',
        tone === 'warn' ? 'border-warn/40 bg-warn-soft' : 'border-line bg-surface-1',
      )}
    >
      <Icon
        size={16}
        aria-hidden
        className={cx('mt-0.5 shrink-0', tone === 'warn' ? 'text-warn' : 'text-ink-3')}
      />
      <div className="flex min-w-0 flex-col">
        <p className="font-medium">{title}</p>
        {children ? <div className="text-ink-2">{children}</div> : null}
      </div>
    </div>
  )
}
