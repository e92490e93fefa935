import { Share2 } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { later } from '@/components/later'

import { text } from '@/strings/share'

/** Fetched when somebody shares: most only read. */
const ShareDialog = later(async () => (await import('./share-dialog')).ShareDialog, {
  waiting: () => null,
})

export function ShareButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" icon={Share2} onPress={() => setOpen(true)}>
        {text.open}
      </Button>
      {open ? <ShareDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}
