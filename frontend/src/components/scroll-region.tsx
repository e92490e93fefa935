import type { ReactNode } from 'react'

import { cx } from './cx'

interface Props {
  label: string
  className: string
  children: ReactNode
}

/**
 * It scrolls, so the keyboard must reach it, and it needs a name. It is positioned, or hidden labels
 * inside, which are placed absolutely, would widen the page.
 */
export function ScrollRegion({ label, className, children }: Readonly<Props>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section tabIndex={0} aria-label={label} className={cx('relative', className)}>
      {children}
    </section>
  )
}
