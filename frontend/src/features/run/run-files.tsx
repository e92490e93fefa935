import { Download, Paperclip } from 'lucide-react'
import { useParams } from 'react-router'

import { useRun } from '@/components/run/run-context'
import { formatBytes } from '@/lib/format'
import { text } from '@/strings/run'

/** The files that came with the question, each with its download. */
export function RunFiles() {
  const detail = useRun((state) => state.view.detail)
  const { token } = useParams()
  // The recorded sample is older, and says nothing of files.
  const files = (detail as Partial<typeof detail> | null)?.files ?? []
  if (!detail || files.length === 0) return null
  const of = token ? `/api/shared/${token}` : `/api/runs/${detail.id}`
  return (
    <ul aria-label={text.files.label} className="flex max-h-32 flex-wrap gap-1.5 overflow-y-auto">
      {files.map(({ name, size }, place) => (
        <li key={name} className="min-w-0 max-w-full text-xs">
          {size === null ? (
            <span className="flex items-center gap-1.5 px-2 py-1 text-ink-3">
              <Paperclip size={12} aria-hidden className="shrink-0" />
              <span className="min-w-0 wrap-anywhere">{name}</span> {text.files.gone}
            </span>
          ) : (
            <a
              href={`${of}/files/${place}`}
              download
              className="flex items-center gap-1.5 rounded-md border border-line px-2 py-1 hover:border-line-strong"
            >
              <Paperclip size={12} aria-hidden className="shrink-0 text-ink-3" />
              <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
              <span className="whitespace-nowrap text-ink-3">{formatBytes(size)}</span>
              <Download
                size={12}
                aria-label={text.files.download}
                className="shrink-0 text-ink-3"
              />
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
