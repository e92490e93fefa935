import { ConfirmDialog } from '@/components/confirm-dialog'
import { toApiError } from '@/lib/api/errors'
import type { Endpoint } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { useDeleteEndpoint } from './use-endpoints'

interface Props {
  endpoint: Endpoint
  onClose: () => void
}

export function DeleteDialog({ endpoint, onClose }: Readonly<Props>) {
  const remove = useDeleteEndpoint(endpoint, onClose)
  return (
    <ConfirmDialog
      title={strings.endpoints.deleteTitle(endpoint.name)}
      body={strings.endpoints.deleteBody}
      action={strings.common.delete}
      isPending={remove.isPending}
      problem={remove.error ? toApiError(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
