import { useQuery } from '@tanstack/react-query'

import { Card } from '@/components/card'
import { ErrorPanel } from '@/components/error-panel'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'

import { ArmTable } from './arm-table'
import { CutWarnings } from './cut-warnings'
import { EqualTokens } from './equal-tokens'
import { text } from '@/strings/evaluations'
import { DomainTable } from './domain-table'
import { PairTable } from './pair-table'
import { RationalityCard } from './rationality-card'
import { useArmName } from './use-arm-name'
import { isActive, summaryQuery, type Evaluation } from './use-evaluations'

/** What the evaluation has found: each arm, each pair of arms, and accuracy by tokens. */
export function ArmsView({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const summary = useQuery(summaryQuery(evaluation))
  const nameOf = useArmName(evaluation)
  if (summary.isPending) return <WorkingBlock />
  if (!summary.data)
    return <ErrorPanel problem={toApiError(summary.error)} onRetry={() => void summary.refetch()} />
  const { arms, pairs, at_equal_tokens, unjudged_tasks, domains, domains_left_out } = summary.data
  const late = arms.reduce((sum, { out_of_time }) => sum + out_of_time, 0)
  const soFar = text.armTable.soFar(formatCount(evaluation.done), formatCount(evaluation.total))
  return (
    <div className="flex flex-col gap-4">
      <CutWarnings evaluation={evaluation} warnings={summary.data.cut_warnings} />
      <Card flush title={isActive(evaluation) ? soFar : text.armTable.title}>
        <ArmTable evaluation={evaluation} arms={arms} />
        {late > 0 ? (
          <p className="px-4 py-2 text-xs text-warn">{text.armTable.late(late)}</p>
        ) : null}
        {arms.map(({ label, own_temperature }) =>
          own_temperature > 0 ? (
            <p key={label} className="px-4 py-2 text-xs text-warn">
              {text.armTable.ownTemperature(nameOf(label), own_temperature)}
            </p>
          ) : null,
        )}
        {unjudged_tasks > 0 ? (
          <p className="px-4 py-2 text-xs text-ink-3">
            {text.armTable.unjudgedTasks(unjudged_tasks)}
          </p>
        ) : null}
      </Card>
      {pairs.length > 0 ? (
        <Card flush title={text.pairs.title}>
          <PairTable
            pairs={pairs}
            nameOf={nameOf}
            isMethodAlone={evaluation.differences.length === 0}
          />
        </Card>
      ) : null}
      <EqualTokens
        points={at_equal_tokens.map((point) => ({ ...point, label: nameOf(point.label) }))}
        labels={evaluation.arms.map(({ label }) => nameOf(label))}
      />
      {domains.length > 0 ? (
        <DomainTable
          shares={domains}
          leftOut={domains_left_out}
          labels={evaluation.arms.map(({ label }) => label)}
          nameOf={nameOf}
        />
      ) : null}
      <RationalityCard evaluation={evaluation} />
    </div>
  )
}
