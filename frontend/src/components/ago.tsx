import { formatAgo, formatDateTime } from '@/lib/format'
import { useNow } from '@/lib/use-now'

interface Props {
  /** ISO 8601. */
  at: string
  className?: string
}

/** How long ago it was; the time itself in its title. */
export const Ago = ({ at, className }: Readonly<Props>) => (
  <time dateTime={at} title={formatDateTime(at)} className={className}>
    {formatAgo(at, useNow())}
  </time>
)
