import { Compass } from 'lucide-react'
import { Link } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

export function NotFoundPage() {
  useTitle(strings.errors.notFoundTitle)
  return (
    <EmptyState
      isPage
      icon={<Compass size={28} aria-hidden />}
      title={strings.errors.notFoundTitle}
      action={
        <Link to="/" className={buttonClass({ variant: 'primary' })}>
          {strings.errors.notFoundAction}
        </Link>
      }
    >
      {strings.errors.notFoundBody}
    </EmptyState>
  )
}
