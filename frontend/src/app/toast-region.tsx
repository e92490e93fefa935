import { CircleAlert, X } from 'lucide-react'
import { useEffect } from 'react'

import { IconButton } from '@/components/button'
import { strings } from '@/strings/studio'
import { useToasts, type Toast } from '@/lib/toasts'

const SHOWN_MS = 6_000

interface Props {
  /** It stands beside the pages, so that it outlives them. */
  go: (to: string) => void
}

export function ToastRegion({ go }: Readonly<Props>) {
  const toasts = useToasts((state) => state.toasts)
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-3 bottom-16 z-50 flex flex-col items-end gap-2 sm:right-4 sm:bottom-4 sm:left-auto sm:w-96"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} go={go} />
      ))}
    </div>
  )
}

function ToastCard({ toast, go }: Readonly<Props & { toast: Toast }>) {
  const { link } = toast
  const remove = useToasts((state) => state.remove)
  useEffect(() => {
    const timer = setTimeout(() => remove(toast.id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [remove, toast.id])
  return (
    <div className="pointer-events-auto flex w-full items-start gap-3 rounded-lg border border-line bg-surface-1 py-2.5 pr-2 pl-3 shadow-float">
      {toast.tone === 'bad' ? (
        <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      ) : null}
      <div className="min-w-0 flex-1">
        <p className="font-medium">{toast.message}</p>
        {toast.remedy ? <p className="text-ink-2">{toast.remedy}</p> : null}
        {link ? (
          <a
            href={link.to}
            onClick={(event) => {
              event.preventDefault()
              remove(toast.id)
              go(link.to)
            }}
            className="font-medium text-accent hover:underline"
          >
            {link.label}
          </a>
        ) : null}
      </div>
      <IconButton label={strings.common.dismiss} onPress={() => remove(toast.id)} icon={X} />
    </div>
  )
}
