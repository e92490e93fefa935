import type { ReactNode } from 'react'

interface Props {
  label: string
  className: string
  children: ReactNode
}

/** It scrolls, so the keyboard must reach it, and it needs a name. */
export function ScrollRegion({ label, className, children }: Readonly<Props>) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section tabIndex={0} aria-label={label} className={className}>
      {children}
    </section>
  )
}
