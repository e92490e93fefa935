import { TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { toApiError } from '@/lib/api/errors'
import { strings } from '@/strings/studio'

import { NotFoundPage } from './not-found-page'

/** A bug in a page ends here, with the rest of the studio still standing. */
export function CrashPage() {
  const error = useRouteError()
  useEffect(() => {
    console.error(error)
  }, [error])
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />
  return (
    <EmptyState
      isPage
      icon={<TriangleAlert size={28} aria-hidden />}
      title={strings.errors.crashed}
      action={
        <Button variant="primary" onPress={() => globalThis.location.reload()}>
          {strings.errors.reload}
        </Button>
      }
    >
      {strings.errors.crashedBody} {toApiError(error).message}
    </EmptyState>
  )
}
