import { useQuery } from '@tanstack/react-query'

import { ButtonLink } from '@/components/button-link'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import { useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { text } from '@/strings/evaluations'

import { ArmTable } from './arm-table'
import { DomainTable } from './domain-table'
import { EqualTokens } from './equal-tokens'
import { roomText, type Room } from './form-draft'
import { PairTable } from './pair-table'
import { RationalityCard } from './rationality-card'
import { useArmName } from './use-arm-name'
import { isActive, summaryQuery, type CutWarning, type Evaluation } from './use-evaluations'

/** What the evaluation has found: each arm, each pair of arms, and accuracy by tokens. */
export function ArmsView({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const summary = useQuery(summaryQuery(evaluation))
  const nameOf = useArmName(evaluation)
  if (summary.isPending) return <WorkingBlock />
  if (!summary.data) return <QueryError of={summary} />
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

const { cuts: words } = text

interface Props {
  evaluation: Evaluation
  warnings: readonly CutWarning[]
}

/** Arms whose answers were often cut, and the way to an evaluation that gives them room. */
function CutWarnings({ evaluation, warnings }: Readonly<Props>) {
  const nameOf = useArmName(evaluation)
  const mayRun = useMe()?.permissions.run ?? false
  if (warnings.length === 0) return null
  const room = roomFor(evaluation, warnings)
  return (
    <Notice tone="warn" title={words.title}>
      <ul>
        {warnings.map((warning) => (
          <li key={warning.label}>
            {sharePercent(warning.share)}
            {words.of[warning.of]}
            <em>{nameOf(warning.label)}</em>
            {words.cutAt(formatCount(warning.limit))}{' '}
            {warning.suggested_limit === null ? words.noRoom : null}
          </li>
        ))}
      </ul>
      <p>{words.favours}</p>
      {mayRun && room.size > 0 ? (
        <p className="pt-2">
          <ButtonLink
            to={`/evaluations/new?from=${evaluation.id}&room=${roomText(room)}`}
            size="sm"
          >
            {words.again(limitsOf(room))}
          </ButtonLink>
        </p>
      ) : null}
    </Notice>
  )
}

/** By the place of each arm that can have more. */
function roomFor({ arms }: Evaluation, warnings: readonly CutWarning[]): Room {
  return new Map(
    warnings.flatMap(({ label, suggested_limit: tokens }) =>
      tokens === null ? [] : [[arms.findIndex((arm) => arm.label === label), tokens] as const],
    ),
  )
}

const limitsOf = (room: Room): string =>
  [...new Set(room.values())].map((tokens) => formatCount(tokens)).join(' / ')

/** As the server's own sentence has it: 5.2 % would read like 5 %, which is no reason to warn. */
const sharePercent = (share: number): string =>
  share >= 0.1 ? `${Math.round(share * 100)} %` : `${(share * 100).toFixed(1)} %`
