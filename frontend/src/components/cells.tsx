import type { ReactNode } from 'react'

import { UNKNOWN } from '@/lib/format'

import { Ago } from './ago'
import { cx } from './cx'

interface Props {
  children: ReactNode
  className?: string
}

/** A cell of a table that is made of grid rows. */
export function Cell({ children, className }: Readonly<Props>) {
  return (
    <div role="cell" className={cx('min-w-0', className)}>
      {children}
    </div>
  )
}

interface NumberProps {
  label: string
  /** What the number leaves open, in a word or two. */
  note?: string | null
  help?: string
  children: string
}

/** On a phone an unknown number is left out; in the table its place stays, with a dash. */
export function NumberCell({ label, note = null, help, children }: Readonly<NumberProps>) {
  return (
    <Cell
      className={cx(
        'text-xs text-ink-2 lg:text-right lg:text-sm lg:text-ink',
        children === UNKNOWN && 'max-lg:hidden',
      )}
    >
      <span title={help}>
        <span className="text-ink-3 lg:hidden">{label} </span>
        {children}
        {note === null ? null : <span className="text-xs text-ink-3 lg:block"> {note}</span>}
      </span>
    </Cell>
  )
}

export interface Made {
  readonly created_at: string
  readonly created_by: string | null
}

export function MadeCell({ row: { created_at, created_by } }: Readonly<{ row: Made }>) {
  return (
    <Cell className="flex gap-x-4 text-xs text-ink-2 lg:block">
      <Ago at={created_at} className="block lg:text-sm" />
      <span className="block truncate lg:text-ink-3">{created_by ?? UNKNOWN}</span>
    </Cell>
  )
}
