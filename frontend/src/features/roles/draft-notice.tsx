import { useMutation, useQueryClient } from '@tanstack/react-query'

import { Button } from '@/components/button'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

const text = strings.roles.draft

/** What is read here is not yet what runs take. A curator publishes the draft that is shown. */
export function DraftNotice({ pool }: Readonly<{ pool: components['schemas']['PoolDetail'] }>) {
  const client = useQueryClient()
  const me = useMe()
  const publish = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/pools/{key}/publish', {
          params: { path: { key: pool.key } },
          body: { version: pool.version },
        }),
      ),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['pool', pool.key] }),
        client.invalidateQueries({ queryKey: queries.pools.queryKey }),
      ]),
  })
  return (
    <div className="flex flex-col gap-2 pb-4">
      <Notice tone="warn" title={text.title}>
        <p>
          {pool.published_version === null ? text.nothing : text.published(pool.published_version)}
        </p>
        {me?.permissions.curate ? (
          <div className="pt-2">
            <Button size="sm" isPending={publish.isPending} onPress={() => publish.mutate()}>
              {text.publish}
            </Button>
          </div>
        ) : null}
      </Notice>
      {publish.error ? <ErrorPanel problem={toApiError(publish.error)} /> : null}
    </div>
  )
}
