import { Share2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'

import { Button } from '@/components/button'
import { text } from '@/components/run/run-strings'

/** Fetched when somebody shares: most only read. */
const ShareDialog = lazy(() => import('./share-dialog'))

export function ShareButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" icon={<Share2 size={14} aria-hidden />} onPress={() => setOpen(true)}>
        {text.share.open}
      </Button>
      {open ? (
        <Suspense>
          <ShareDialog onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
