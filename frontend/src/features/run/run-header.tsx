import { Ban, Download, RotateCw, Workflow } from 'lucide-react'
import { use, useState } from 'react'
import { useNavigate } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { RunContext, useRun } from '@/components/run/run-context'
import { text } from '@/components/run/run-strings'
import { Tooltip } from '@/components/tooltip'
import { VerdictBadge } from '@/components/verdict-badge'
import { isEnded } from '@/graph/run-view'
import { toApiError } from '@/lib/api/errors'
import { cancelRun, retryRun, takeIntoDesign, useMe } from '@/lib/api/queries'
import { notify, notifyProblem } from '@/lib/toasts'

import { CompareMenu } from './compare-menu'
import { downloadTrace } from './download-trace'
import { RunFacts } from './run-facts'
import { NoteButton } from './run-notes'

const LONG_QUERY = 160

export function RunHeader() {
  const status = useRun((state) => state.view.status)
  return (
    <header className="flex flex-col gap-3 border-b border-line bg-surface-1 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <span className="flex flex-wrap gap-1 pt-0.5">
            <StatusBadge status={status} />
            <RunVerdict />
          </span>
          <QueryText />
        </div>
        <RunActions />
      </div>
      <RunFacts />
    </header>
  )
}

/** Right or wrong, where somebody judged it. */
function RunVerdict() {
  const seen = useRun((state) => state.attempt?.verdict ?? null)
  const stored = useRun((state) => state.view.detail?.correct ?? null)
  const correct = seen?.correct ?? stored
  if (correct === null) return null
  return <VerdictBadge correct={correct} title={seen?.explanation ?? ''} />
}

/** Long questions are cut to two lines until asked for. */
function QueryText() {
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  const [whole, setWhole] = useState(false)
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <h1
        className={cx(
          'text-lg leading-6 font-semibold tracking-tight whitespace-pre-wrap',
          whole ? 'max-h-[40dvh] overflow-auto' : 'line-clamp-2',
        )}
      >
        {query || text.title}
      </h1>
      {query.length > LONG_QUERY ? (
        <Button variant="quiet" size="sm" className="-ml-2" onPress={() => setWhole(!whole)}>
          {whole ? text.less : text.whole}
        </Button>
      ) : null}
    </div>
  )
}

function RunActions() {
  const store = use(RunContext)
  const answer = useRun((state) => state.attempt?.outcome?.answer ?? state.view.detail?.answer)
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <CancelOrAgain />
      <IntoDesign />
      <CompareMenu />
      <NoteButton />
      {answer == null ? null : <CopyButton text={answer} label={text.copyAnswer} wide />}
      <CopyButton text={globalThis.location.href} label={text.copyLink} wide />
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
    </div>
  )
}

/** The graph that was built, to be changed by hand and run against this one. */
function IntoDesign() {
  const id = useRun((state) => state.view.runId)
  const hasGraph = useRun((state) => (state.attempt?.agents.size ?? 0) > 0)
  const isOver = useRun((state) => isEnded(state.view.status))
  const me = useMe()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  if (!me?.permissions.run || !hasGraph || !isOver) return null
  const take = async (): Promise<void> => {
    setBusy(true)
    try {
      await navigate(`/designs/${await takeIntoDesign(id)}`)
    } catch (thrown) {
      notifyProblem(toApiError(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      size="sm"
      isPending={busy}
      onPress={() => void take()}
      icon={<Workflow size={14} aria-hidden />}
    >
      {text.intoDesign}
    </Button>
  )
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
