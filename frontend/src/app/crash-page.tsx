import { Compass, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router'

import { Button } from '@/components/button'
import { ButtonLink } from '@/components/button-link'
import { EmptyState } from '@/components/empty-state'
import { toApiError } from '@/lib/api/errors'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'

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
      icon={TriangleAlert}
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

export function NotFoundPage() {
  useTitle(strings.errors.notFoundTitle)
  return (
    <EmptyState
      isPage
      icon={Compass}
      title={strings.errors.notFoundTitle}
      action={
        <ButtonLink to="/" variant="primary">
          {strings.errors.notFoundAction}
        </ButtonLink>
      }
    >
      {strings.errors.notFoundBody}
    </EmptyState>
  )
}
