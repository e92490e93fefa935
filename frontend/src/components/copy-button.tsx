import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

import { strings } from '@/strings/studio'

import { Button } from './button'

interface Props {
  text: string
  label?: string
  /** What is said of it, where several with this label stand together. */
  name?: string
  /** Show the label beside the icon. */
  wide?: boolean
}

export function CopyButton({
  text,
  label = strings.common.copy,
  name = label,
  wide = false,
}: Readonly<Props>) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 1_600)
    return () => clearTimeout(timer)
  }, [copied])
  const shown = copied ? strings.common.copied : label
  return (
    <Button
      variant={wide ? 'secondary' : 'quiet'}
      size="sm"
      aria-label={copied ? shown : name}
      onPress={() => void copyText(text).then(setCopied)}
      icon={copied ? <Check size={14} aria-hidden className="text-good" /> : Copy}
    >
      {wide ? shown : null}
    </Button>
  )
}

/** False where the browser refuses, as it does on plain http of another host. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The text stays selectable beside the button, so a refused clipboard loses nothing.
    return false
  }
}
