import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface Props {
  icon?: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Whether this is the whole page, so that its title is the page's. */
  isPage?: boolean
}

/** Nothing here yet: what would be here, and how to get it. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
  isPage = false,
}: Readonly<Props>) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-14 text-center">
      {Icon ? (
        <span className="mb-1 text-ink-3">
          <Icon size={28} aria-hidden />
        </span>
      ) : null}
      <Title className="text-base font-semibold">{title}</Title>
      {children ? <p className="text-ink-2">{children}</p> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}
