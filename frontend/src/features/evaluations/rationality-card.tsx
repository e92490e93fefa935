import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Card } from '@/components/card'
import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { Notice } from '@/components/notice'
import { ProgressBar } from '@/components/progress-bar'
import { QueryState } from '@/components/query-state'
import type { components } from '@/generated/api'
import { formatCount, formatP, formatPoints, formatSeconds, formatShare } from '@/lib/format'
import { useNow } from '@/lib/use-now'
import { useTimeLeft } from '@/lib/use-time-left'
import { text } from '@/strings/evaluations'

import { ArmCauses } from './arm-causes'
import { rangeText } from './range-text'
import { StackedNumber } from './stacked-number'
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
      <QueryState of={report} />
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

type Structure = components['schemas']['Structure']
type ArmStructure = components['schemas']['ArmStructure']

interface Row {
  readonly key: string
  readonly arm: string
  readonly variant: ArmStructure['variants'][number]
  readonly pair: ArmStructure['pairs'][number] | null
}

interface Props {
  structure: Structure
  nameOf: (label: string) => string
}

/** M against itself with one agent less and one more, for every arm that builds graphs. */
function StructureTable({ structure, nameOf }: Readonly<Props>) {
  const rows = structure.arms.flatMap((arm): Row[] =>
    arm.variants.map((variant) => ({
      key: `${arm.label}/${variant.kind}`,
      arm: nameOf(arm.label),
      variant,
      pair: arm.pairs.find(({ right }) => right === variant.kind) ?? null,
    })),
  )
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{words.structure}</h3>
      <p className="max-w-3xl text-xs text-ink-2">
        {words.structureHelp(structure.tasks, structure.seed)}
      </p>
      <div className="overflow-hidden rounded-md border border-line">
        <DataTable
          label={words.structureLabel}
          rows={rows}
          keyOf={({ key }) => key}
          columns={columns}
        />
      </div>
    </section>
  )
}

const columns: Column<Row>[] = [
  {
    key: 'variant',
    head: words.variant,
    isRowHead: true,
    render: ({ arm, variant }) => (
      <>
        {words.variants[variant.kind]}
        <span className="block text-xs font-normal text-ink-3">{arm}</span>
      </>
    ),
  },
  {
    key: 'accuracy',
    head: text.armTable.accuracy,
    numeric: true,
    render: ({ variant }) => (
      <StackedNumber
        main={formatShare(variant.accuracy)}
        below={rangeText(variant.interval, formatShare)}
      />
    ),
  },
  {
    key: 'difference',
    head: text.pairs.difference,
    numeric: true,
    render: ({ pair }) =>
      pair === null ? null : (
        <StackedNumber
          main={formatPoints(pair.difference)}
          below={rangeText(pair.interval, formatPoints)}
        />
      ),
  },
  {
    key: 'p',
    head: text.pairs.corrected,
    numeric: true,
    render: ({ pair }) =>
      pair === null ? null : (
        <StackedNumber main={formatP(pair.holm_p)} below={words.onTasks(pair.n)} />
      ),
  },
  numberColumn('tokens', text.armTable.tokens, ({ variant }) => formatCount(variant.tokens_mean)),
]
