import { useQuery } from '@tanstack/react-query'

import { Card } from '@/components/card'
import { ErrorPanel } from '@/components/error-panel'
import { ProgressBar } from '@/components/progress-bar'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'

import { ArmCauses } from './arm-causes'
import { text } from './evaluation-strings'
import { StructureTable } from './structure-table'
import { useArmName } from './use-arm-name'
import { rationalityQuery, type Evaluation, type Rationality } from './use-evaluations'

const { why: words } = text

/** Whether the roles fit the questions, and why the wrong answers are wrong. */
export function RationalityCard({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const report = useQuery(rationalityQuery(evaluation))
  const nameOf = useArmName(evaluation)
  return (
    <Card title={words.title}>
      <p className="max-w-3xl pb-3 text-xs text-ink-2">
        {words.help} <code className="font-mono whitespace-nowrap">{words.command}</code>
      </p>
      {report.isPending ? <WorkingBlock /> : null}
      {report.isError ? (
        <ErrorPanel problem={toApiError(report.error)} onRetry={() => void report.refetch()} />
      ) : null}
      {report.data ? <Found report={report.data} nameOf={nameOf} /> : null}
    </Card>
  )
}

interface FoundProps {
  report: Rationality
  nameOf: (label: string) => string
}

function Found({ report, nameOf }: Readonly<FoundProps>) {
  const { status, answers, looked_at: seen, arms, structure } = report
  return (
    <div className="flex flex-col gap-4">
      {answers === 0 ? <p className="text-ink-3">{words.empty}</p> : null}
      {status === 'pending' ? (
        <ProgressBar
          label={words.looking}
          value={seen}
          total={answers}
          text={words.pending(formatCount(seen), formatCount(answers))}
          className="max-w-sm"
        />
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
    </div>
  )
}
