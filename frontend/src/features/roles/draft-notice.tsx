import { useState } from 'react'

import { Button } from '@/components/button'
import { Notice } from '@/components/notice'
import type { components } from '@/generated/api'
import { useMe } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { PublishDialog } from './publish-dialog'

const text = strings.roles.draft

/** What is read here is not yet what runs take. A curator publishes it once they have seen what that changes. */
export function DraftNotice({ pool }: Readonly<{ pool: components['schemas']['PoolDetail'] }>) {
  const me = useMe()
  const [isLooking, setLooking] = useState(false)
  return (
    <div className="pb-4">
      <Notice tone="warn" title={text.title}>
        <p>
          {pool.published_version === null ? text.nothing : text.published(pool.published_version)}
        </p>
        {me?.permissions.curate ? (
          <div className="pt-2">
            <Button size="sm" onPress={() => setLooking(true)}>
              {text.look}
            </Button>
          </div>
        ) : null}
      </Notice>
      {isLooking ? <PublishDialog pool={pool} onClose={() => setLooking(false)} /> : null}
    </div>
  )
}
