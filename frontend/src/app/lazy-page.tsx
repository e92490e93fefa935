import { CloudOff } from 'lucide-react'
import type { ComponentType } from 'react'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { later } from '@/components/later'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

/** How long the page before stays while the next one is fetched. */
const STAY_MS = 400

/** A page that is fetched when its route is opened. React Router keeps a `lazy` that failed and never
 * calls it again, so this one does not fail: the page itself tries again, and says what is missing. */
export function lazyPage(load: () => Promise<ComponentType>) {
  const Page = later(load, { failed: () => <PageNotFetched /> })
  return async (): Promise<{ Component: ComponentType }> => {
    const stayed = new Promise((resolve) => setTimeout(resolve, STAY_MS))
    await Promise.race([Page.prepare(), stayed])
    return { Component: Page }
  }
}

function PageNotFetched() {
  useTitle(strings.errors.pageMissing)
  return (
    <div role="alert">
      <EmptyState
        isPage
        icon={CloudOff}
        title={strings.errors.pageMissing}
        action={
          <Button variant="primary" onPress={() => globalThis.location.reload()}>
            {strings.errors.reload}
          </Button>
        }
      >
        {strings.errors.pageMissingBody}
      </EmptyState>
    </div>
  )
}
