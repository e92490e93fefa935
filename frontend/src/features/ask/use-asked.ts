import { useEffect } from 'react'
import { useSearchParams } from 'react-router'

import { useDraft } from './draft-store'

const PARTS = ['q', 'task', 'method', 'checkpoint', 'endpoint', 'pool'] as const

/** A link can bring the question, the task that it is, and the choices: `/?method=mashost&checkpoint=best`. */
export function useAsked(): void {
  const [params, setParams] = useSearchParams()
  const change = useDraft((draft) => draft.change)
  useEffect(() => {
    if (!PARTS.some((part) => params.has(part))) return
    const [q, task, method, checkpoint, endpoint, pool] = PARTS.map((part) => params.get(part))
    change({
      ...(q ? { query: q, task: task ? Number(task) || null : null } : {}),
      ...(method ? { method, checkpoint: checkpoint ?? null } : {}),
      ...(endpoint ? { endpoint } : {}),
      ...(pool ? { pool } : {}),
    })
    setParams({}, { replace: true })
  }, [params, setParams, change])
}
