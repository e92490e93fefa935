import { LoaderCircle } from 'lucide-react'

import { strings } from '@/strings/studio'

/** Something is under way. Every use ends by itself: requests have a limit and turn into an error. */
export function Working({ label = strings.common.loading }: Readonly<{ label?: string }>) {
  return <LoaderCircle size={14} className="animate-spin" role="img" aria-label={label} />
}

export function WorkingBlock({ label = strings.common.loading }: Readonly<{ label?: string }>) {
  return (
    <div role="status" className="flex items-center justify-center gap-2 py-16 text-ink-3">
      <LoaderCircle size={16} className="animate-spin" aria-hidden />
      {label}
    </div>
  )
}
