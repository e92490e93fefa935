import { useState } from 'react'

import { useNow } from '@/lib/use-now'

import { text } from '@/strings/datasets'

const { importing: words } = text
/** The server's own limit. */
const LIMIT_S = 300

/** How long the hub has been read, and when that is broken off. */
export function HubWait() {
  const [begun] = useState(() => Date.now())
  const now = useNow(1_000)
  return (
    <p className="text-xs text-ink-2">
      {words.reading(Math.max(0, Math.round((now - begun) / 1_000)), LIMIT_S / 60)}
    </p>
  )
}
