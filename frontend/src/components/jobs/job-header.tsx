import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'

import { TextLink } from '@/components/text-link'
import { ButtonLink } from '@/components/button-link'
import { useMe } from '@/lib/api/queries'
import { formatSeconds, UNKNOWN } from '@/lib/format'
import { useNow } from '@/lib/use-now'

interface Props {
  job: { readonly name: string; readonly created_by: string | null }
  badge: ReactNode
  /** Buttons of its owner and of admins. */
  own: ReactNode
  again: { readonly to: string; readonly label: string }
  more?: ReactNode
  label: string
  facts: ReactNode
  children: ReactNode
}

/** Above a training or an evaluation: its status, its name, what can be done, its facts. */
export function JobHeader(props: Readonly<Props>) {
  const { job, badge, own, again, more, label, facts, children } = props
  const { permissions, username } = useMe() ?? {}
  const mayRun = permissions?.run === true
  return (
    <header className="flex flex-col gap-3 border-b border-line bg-surface-1 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <span className="pt-0.5">{badge}</span>
          <h1
            title={job.name}
            className="line-clamp-2 text-lg leading-6 font-semibold tracking-tight break-words"
          >
            {job.name}
          </h1>
        </div>
        <div className="flex flex-wrap items-center gap-1.5">
          {permissions?.admin || (mayRun && job.created_by === username) ? own : null}
          {mayRun ? (
            <ButtonLink to={again.to} size="sm" icon={Copy}>
              {again.label}
            </ButtonLink>
          ) : null}
          {more}
        </div>
      </div>
      <dl
        aria-label={label}
        className="grid grid-cols-3 gap-x-3 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-6"
      >
        {facts}
      </dl>
      {children}
    </header>
  )
}

export const SplitLink = ({ dataset, split }: Readonly<{ dataset: string; split: string }>) => (
  <TextLink to={`/datasets/${dataset}?split=${split}`}>{`${dataset}/${split}`}</TextLink>
)

/** `until` null: it has not ended. */
export function Elapsed({ from, until }: Readonly<{ from: string | null; until: string | null }>) {
  const now = useNow(1_000)
  if (from === null) return UNKNOWN
  const end = until === null ? now : Date.parse(until)
  return formatSeconds(Math.max(0, Math.round((end - Date.parse(from)) / 1_000)))
}
