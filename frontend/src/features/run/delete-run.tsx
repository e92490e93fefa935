import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { useRun } from '@/components/run/run-context'
import { Tooltip } from '@/components/tooltip'
import { isEnded } from '@/graph/run-view'
import { api } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { notify } from '@/lib/toasts'

const words = strings.runs.bulk

/** For whoever may: the owner of a run that has ended, unless an evaluation rests on it. */
export function DeleteRun() {
  const me = useMe()
  const id = useRun(({ view }) => view.runId)
  const over = useRun(({ view }) => isEnded(view.status))
  const owner = useRun(({ view }) => view.detail?.created_by ?? null)
  const evaluation = useRun(({ view }) => view.detail?.evaluation ?? null)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/runs/{run_id}', { params: { path: { run_id: id } } }),
    onSuccess: async () => {
      notify(words.done.delete(1))
      await navigate('/runs', { replace: true })
      await client.invalidateQueries({ queryKey: ['runs'] })
    },
  })
  const own = me !== undefined && (me.permissions.admin || owner === me.username)
  if (!me?.permissions.run || !own || !over || evaluation !== null) return null
  return (
    <>
      <Tooltip content={words.remove}>
        <Button
          size="sm"
          aria-label={words.removeOne}
          onPress={() => setAsks(true)}
          icon={<Trash2 size={14} aria-hidden />}
        />
      </Tooltip>
      {asks ? (
        <ConfirmDialog
          title={words.removeTitle(1)}
          body={words.removeBody}
          action={words.remove}
          isPending={remove.isPending}
          problem={remove.error ? toApiError(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsks(false)}
        />
      ) : null}
    </>
  )
}
