import type { ReactNode } from 'react'

import { cx } from './cx'

interface Props {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
  flush?: boolean
}

/** A panel. `flush` lets its content reach the edges, for tables and lists. */
export function Card({ title, actions, children, className, flush = false }: Readonly<Props>) {
  return (
    <section
      className={cx('overflow-hidden rounded-lg border border-line bg-surface-1', className)}
    >
      {title || actions ? (
        <header className="flex min-h-10 items-center justify-between gap-3 border-b border-line px-4 py-1.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions}
        </header>
      ) : null}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}
