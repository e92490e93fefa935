import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Card } from '@/components/card'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { ProgressBar } from '@/components/progress-bar'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatCount, formatSeconds } from '@/lib/format'
import { useNow } from '@/lib/use-now'
import { useTimeLeft } from '@/lib/use-time-left'

import { ArmCauses } from './arm-causes'
import { text } from '@/strings/evaluations'
import { StructureTable } from './structure-table'
import { useArmName } from './use-arm-name'
import { rationalityQuery, type Evaluation, type Rationality } from './use-evaluations'

const { why: words } = text
const TICK_MS = 1_000
const PATIENCE_MS = 60_000

/** Whether the roles fit the questions, and why the wrong answers are wrong. */
export function RationalityCard({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const report = useQuery(rationalityQuery(evaluation))
  const nameOf = useArmName(evaluation)
  return (
    <Card title={words.title}>
      <p className="max-w-3xl pb-3 text-xs text-ink-2">
        {words.help} <code className="font-mono break-words">{words.command(evaluation.id)}</code>
      </p>
      {report.isPending ? <WorkingBlock /> : null}
      {report.isError ? (
        <ErrorPanel problem={toApiError(report.error)} onRetry={() => void report.refetch()} />
      ) : null}
      {report.data ? <Found id={evaluation.id} report={report.data} nameOf={nameOf} /> : null}
    </Card>
  )
}

interface LookingProps {
  seen: number
  answers: number
  /** Seconds; null while unknown. */
  left: number | null
}

/** Its key is what has been looked at: whoever waits for long waits for a worker that is not there. */
function Looking({ seen, answers, left }: Readonly<LookingProps>) {
  const now = useNow(TICK_MS)
  const [since] = useState(now)
  return (
    <>
      <ProgressBar
        label={words.looking}
        value={seen}
        total={answers}
        text={[
          words.pending(formatCount(seen), formatCount(answers)),
          ...(left === null ? [] : [text.left(formatSeconds(left))]),
        ].join(', ')}
        className="max-w-sm"
      />
      {now - since >= PATIENCE_MS ? (
        <Notice tone="warn" title={words.noWorker}>
          {words.noWorkerHelp} <code className="font-mono break-words">{words.workerCommand}</code>
        </Notice>
      ) : null}
    </>
  )
}

interface FoundProps {
  id: string
  report: Rationality
  nameOf: (label: string) => string
}

function Found({ id, report, nameOf }: Readonly<FoundProps>) {
  const { status, answers, looked_at: seen, arms, structure } = report
  const left = useTimeLeft(seen, answers)
  return (
    <div className="flex flex-col gap-4">
      {answers === 0 ? <p className="text-ink-3">{words.empty}</p> : null}
      {status === 'pending' ? (
        <Looking key={seen} seen={seen} answers={answers} left={left} />
      ) : null}
      {arms.length > 0 ? (
        <ul className="grid gap-3 md:grid-cols-2 2xl:grid-cols-3">
          {arms.map((arm, index) => (
            <li key={arm.label} className="min-w-0">
              <ArmCauses arm={arm} index={index} name={nameOf(arm.label)} />
            </li>
          ))}
        </ul>
      ) : null}
      {structure && structure.arms.length > 0 ? (
        <StructureTable structure={structure} nameOf={nameOf} />
      ) : null}
      {structure === null && answers > 0 ? (
        <p className="max-w-3xl text-xs text-ink-2">
          {words.structureTip}{' '}
          <code className="font-mono break-words">{words.structureCommand(id)}</code>
        </p>
      ) : null}
    </div>
  )
}
