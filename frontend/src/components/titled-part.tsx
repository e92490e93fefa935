import type { ReactNode } from 'react'

interface Props {
  title: string
  aside?: ReactNode
  children: ReactNode
}

/** A part of a card under a small heading. */
export function TitledPart({ title, aside, children }: Readonly<Props>) {
  return (
    <section className="flex max-w-prose flex-col gap-1">
      <header className="flex min-h-7 items-center justify-between">
        <h3 className="text-xs font-medium text-ink-3">{title}</h3>
        {aside}
      </header>
      <div className="flex flex-col gap-1 break-words whitespace-pre-wrap">{children}</div>
    </section>
  )
}
