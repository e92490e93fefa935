import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Download, RotateCw, Trash2 } from 'lucide-react'
import { use, useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { later } from '@/components/later'
import { RunContext, useRun } from '@/components/run/run-context'
import { TakeIntoDesign } from '@/components/run/take-into-design'
import { TipButton } from '@/components/tooltip'
import { currentAttempt, isEnded, type RunView } from '@/graph/run-view'
import { api } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { cancelRun, retryRun, useMe } from '@/lib/api/queries'
import { saveFile } from '@/lib/save-file'
import { notify, notifyProblem } from '@/lib/toasts'
import { text } from '@/strings/run'
import { strings } from '@/strings/studio'

import { CompareMenu } from './compare-menu'
import { NoteButton } from './run-notes'
import { ShareButton } from './share-button'

const ConfirmDialog = later(
  async () => (await import('@/components/confirm-dialog')).ConfirmDialog,
  { waiting: () => null },
)

/** What can be done with a run, by whom may do it. */
export function RunActions() {
  return (
    <>
      <CancelOrAgain />
      <IntoDesign />
      <CompareMenu />
      <NoteButton />
      <ShareButton />
      <TakeAway />
      <DeleteRun />
    </>
  )
}

/** What anybody who reads the run may take with them. */
export function TakeAway() {
  const store = use(RunContext)
  const answer = useRun((state) => state.attempt?.outcome?.answer ?? state.view.detail?.answer)
  return (
    <>
      {answer == null ? null : <CopyButton text={answer} label={text.copyAnswer} wide />}
      <TipButton
        label={text.download}
        icon={Download}
        onPress={() => {
          if (store) downloadTrace(store.getState().view)
        }}
      />
    </>
  )
}

/** The graph that was built, to be changed by hand and run against this one. */
function IntoDesign() {
  const id = useRun((state) => state.view.runId)
  const hasGraph = useRun(({ view }) => (currentAttempt(view)?.agents.size ?? 0) > 0)
  const isOver = useRun((state) => isEnded(state.view.status))
  return hasGraph && isOver ? <TakeIntoDesign from={{ from_run: id }} /> : null
}

function CancelOrAgain() {
  const store = use(RunContext)
  const view = useRun((state) => state.view)
  const me = useMe()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  if (!me?.permissions.run) return null

  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    try {
      await work()
    } catch (thrown) {
      notifyProblem(toApiError(thrown))
    } finally {
      setBusy(false)
    }
  }
  const cancel = () =>
    act(async () => {
      const detail = await cancelRun(view.runId)
      store?.getState().applyFrames([{ type: 'status', run: view.runId, detail }])
      notify(text.cancelling)
    })
  const again = () =>
    act(async () => {
      const { id } = await retryRun(view.runId)
      await navigate(`/runs/${id}`)
    })

  if (isEnded(view.status))
    return (
      <Button size="sm" isPending={busy} onPress={() => void again()} icon={RotateCw}>
        {text.again}
      </Button>
    )
  const mayCancel = me.permissions.admin || view.detail?.created_by === me.username
  return mayCancel ? (
    <Button variant="danger" size="sm" isPending={busy} onPress={() => void cancel()} icon={Ban}>
      {text.cancel}
    </Button>
  ) : null
}

/** Saves the run with every stored event of all its attempts as one JSON file. */
function downloadTrace(view: RunView): void {
  const events = view.attempts.flatMap((attempt) => attempt.events.toArray())
  const body = JSON.stringify({ run: view.detail, events }, null, 2)
  saveFile(new Blob([body], { type: 'application/json' }), `run-${view.runId}.json`)
}

const words = strings.runs.bulk

/** For whoever may: the owner of a run that has ended, unless an evaluation rests on it. */
function DeleteRun() {
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
      <TipButton
        label={words.removeOne}
        tip={words.remove}
        onPress={() => setAsks(true)}
        icon={Trash2}
      />
      {asks ? (
        <ConfirmDialog
          title={words.removeTitle(1)}
          body={words.removeBody}
          action={words.remove}
          deed={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsks(false)}
        />
      ) : null}
    </>
  )
}
