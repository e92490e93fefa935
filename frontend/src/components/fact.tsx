import type { ReactNode } from 'react'

import { cx } from './cx'

/** One named value; several stand in a <dl>. */
export function Fact({
  name,
  title,
  className,
  children,
}: Readonly<{ name: string; title?: string; className?: string; children: ReactNode }>) {
  return (
    <div className={cx('flex min-w-0 flex-col', className)} title={title}>
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="min-w-0 truncate text-sm font-medium">{children}</dd>
    </div>
  )
}

export function Section({
  title,
  aside,
  children,
}: Readonly<{ title: string; aside?: ReactNode; children: ReactNode }>) {
  return (
    <section className="flex flex-col gap-2 border-t border-line px-4 py-3">
      <div className="flex min-h-5 items-center justify-between gap-2">
        <h3 className="text-xs font-semibold text-ink-2">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}
