import type { ReactNode } from 'react'

import { cx } from './cx'

interface Props {
  title: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** Narrow pages are for reading and forms; wide ones for tables. */
  width?: 'narrow' | 'wide'
}

/** The frame of an ordinary page: heading, one sentence, actions, content. */
export function Page({ title, lead, actions, children, width = 'wide' }: Readonly<Props>) {
  return (
    <div
      className={cx(
        'mx-auto flex w-full flex-col gap-4 px-4 py-5 sm:px-6',
        width === 'narrow' ? 'max-w-3xl' : 'max-w-[1400px]',
      )}
    >
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 sm:flex-nowrap">
        <div className="flex min-w-0 flex-col gap-0.5">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead ? <p className="max-w-2xl text-ink-2">{lead}</p> : null}
        </div>
        {actions}
      </header>
      {children}
    </div>
  )
}
