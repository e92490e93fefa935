import { FileText, Globe } from 'lucide-react'

import type { Source } from '@/graph/frames'
import { useOwnPage } from '@/lib/own-pages'
import { pageUrl } from '@/lib/safe-url'
import { strings } from '@/strings/studio'

interface Props {
  label: string
  sources: readonly Source[]
}

/** Pages as links with their host, since a title may say anything; files by their name. */
export function SourceList({ label, sources }: Readonly<Props>) {
  return (
    <ul aria-label={label} className="flex flex-col gap-1 text-xs">
      {sources.map((source, index) => (
        <li key={index} className="flex items-baseline gap-1.5">
          <SourceName source={source} />
        </li>
      ))}
    </ul>
  )
}

function SourceName({ source: { title, address } }: Readonly<{ source: Source }>) {
  const own = useOwnPage()(address)
  const url = pageUrl(own ? new URL(own, globalThis.location.href).href : address)
  if (!url)
    return (
      <>
        <FileText size={12} aria-hidden className="shrink-0 self-center text-ink-3" />
        <bdi className="min-w-0 wrap-anywhere">{title || address}</bdi>
      </>
    )
  return (
    <>
      <Globe size={12} aria-hidden className="shrink-0 self-center text-ink-3" />
      <a
        href={url.href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="min-w-0 rounded-sm wrap-anywhere text-accent underline underline-offset-2"
      >
        <bdi>{title || `${url.host}${url.pathname}`}</bdi>
      </a>
      <span className="text-ink-3 wrap-anywhere" title={url.href}>
        {url.host === globalThis.location.host ? strings.common.ownPage : url.host}
      </span>
    </>
  )
}
