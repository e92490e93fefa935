import { Ban, Download, RotateCw } from 'lucide-react'
import { use, useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { RunContext, useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { TakeIntoDesign } from '@/components/run/take-into-design'
import { Tooltip } from '@/components/tooltip'
import { currentAttempt, isEnded } from '@/graph/run-view'
import { toApiError } from '@/lib/api/errors'
import { cancelRun, retryRun, useMe } from '@/lib/api/queries'
import { notify, notifyProblem } from '@/lib/toasts'

import { CompareMenu } from './compare-menu'
import { DeleteRun } from './delete-run'
import { downloadTrace } from './download-trace'
import { NoteButton } from './run-notes'
import { ShareButton } from './share-button'

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
      <Tooltip content={text.download}>
        <Button
          size="sm"
          aria-label={text.download}
          icon={<Download size={14} aria-hidden />}
          onPress={() => {
            if (store) downloadTrace(store.getState().view)
          }}
        />
      </Tooltip>
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
      <Button
        size="sm"
        isPending={busy}
        onPress={() => void again()}
        icon={<RotateCw size={14} aria-hidden />}
      >
        {text.again}
      </Button>
    )
  const mayCancel = me.permissions.admin || view.detail?.created_by === me.username
  return mayCancel ? (
    <Button
      variant="danger"
      size="sm"
      isPending={busy}
      onPress={() => void cancel()}
      icon={<Ban size={14} aria-hidden />}
    >
      {text.cancel}
    </Button>
  ) : null
}
