import type { ReactNode } from 'react'

interface Props {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
}

/** Nothing here yet: what would be here, and how to get it. */
export function EmptyState({ icon, title, children, action }: Readonly<Props>) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-14 text-center">
      {icon ? <span className="mb-1 text-ink-3">{icon}</span> : null}
      <p className="text-base font-semibold">{title}</p>
      {children ? <p className="text-ink-2">{children}</p> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}
