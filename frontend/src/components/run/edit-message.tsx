import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Refusal } from '@/components/query-state'
import { TextArea } from '@/components/text-area'
import { isEnded, type AgentView } from '@/graph/run-view'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { cancelRun, useMe } from '@/lib/api/queries'
import { useIdempotencyKey } from '@/lib/idempotency-key'
import { notifyProblem } from '@/lib/toasts'
import { useWritten } from '@/lib/use-written'

import { useRun } from './run-context'
import { isEarlier } from './run-store'
import { text } from '@/strings/run'

const words = text.edit
/** Whose message the studio makes, or that nobody has made. */
const SPOKEN: ReadonlySet<string> = new Set(['done', 'reused', 'refused', 'failed'])

interface Props {
  agent: AgentView
  name: string
}

/** Lets an agent of a stored run say something else, and goes on from there as a run of one's own. */
export function EditMessage({ agent, name }: Readonly<Props>) {
  // Of what was earlier nothing can be changed: a fork begins from what the agent said in the end.
  const isSettled = useRun(
    (state) =>
      state.moment === null &&
      !isEarlier(state) &&
      state.view.detail !== null &&
      (isEnded(state.view.status) || state.view.status === 'waiting'),
  )
  const me = useMe()
  const [open, setOpen] = useState(false)
  if (!me?.permissions.run || !isSettled || !SPOKEN.has(agent.status) || agent.summary) return null
  return (
    <div className="px-4 pb-4">
      {open ? (
        <Editor agent={agent} name={name} onClose={() => setOpen(false)} />
      ) : (
        <Button size="sm" icon={Pencil} onPress={() => setOpen(true)}>
          {words.edit}
        </Button>
      )}
    </div>
  )
}

interface EditorProps extends Props {
  onClose: () => void
}

function Editor({ agent, name, onClose }: Readonly<EditorProps>) {
  const run = useRun((state) => state.view.runId)
  const [message, setMessage] = useWritten(`edit ${run} ${agent.id}`, agent.message ?? '')
  const [step, setStep] = useState(false)
  const isWaiting = useRun(({ view }) => view.status === 'waiting')
  const owner = useRun(({ view }) => view.detail?.created_by)
  const me = useMe()
  const mayCancel = isWaiting && (me?.permissions.admin === true || owner === me?.username)
  const [cancels, setCancels] = useState(false)
  const key = useIdempotencyKey()
  const client = useQueryClient()
  const navigate = useNavigate()
  const fork = useMutation({
    mutationFn: () => {
      const body = { messages: { [agent.id]: message }, step }
      const path = { run_id: run }
      return key.send({ run, ...body }, (header) =>
        unwrap(api.POST('/api/runs/{run_id}/fork', { params: { path, header }, body })),
      )
    },
    onSuccess: async ({ id }) => {
      setMessage(null)
      // The new run is there: that the old one could not be cancelled does not undo it.
      if (mayCancel && cancels)
        await cancelRun(run).catch((error: unknown) => notifyProblem(toApiError(error)))
      void client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(`/runs/${id}`)
    },
  })
  const isSame = message.trim() === '' || message === agent.message
  return (
    <div className="flex flex-col gap-3">
      <TextArea
        autoFocus
        label={words.label(name)}
        help={words.help}
        value={message}
        rows={6}
        onChange={setMessage}
      />
      <Checkbox isSelected={step} onChange={setStep}>
        {words.step}
      </Checkbox>
      {isWaiting ? <p className="text-xs text-ink-2">{words.waits}</p> : null}
      {mayCancel ? (
        <Checkbox isSelected={cancels} onChange={setCancels}>
          {words.cancelOriginal}
        </Checkbox>
      ) : null}
      <Refusal of={fork} />
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          size="sm"
          isDisabled={isSame}
          isPending={fork.isPending}
          onPress={() => fork.mutate()}
        >
          {words.submit}
        </Button>
        <Button
          variant="quiet"
          size="sm"
          onPress={() => {
            setMessage(null)
            onClose()
          }}
        >
          {words.cancel}
        </Button>
      </div>
    </div>
  )
}
