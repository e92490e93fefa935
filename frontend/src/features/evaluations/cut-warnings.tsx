import { Link } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { Notice } from '@/components/notice'
import { useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { text } from '@/strings/evaluations'

import { roomText, type Room } from './form-draft'
import { useArmName } from './use-arm-name'
import type { CutWarning, Evaluation } from './use-evaluations'

const { cuts: words } = text

interface Props {
  evaluation: Evaluation
  warnings: readonly CutWarning[]
}

/** Arms whose answers were often cut, and the way to an evaluation that gives them room. */
export function CutWarnings({ evaluation, warnings }: Readonly<Props>) {
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
          <Link
            to={`/evaluations/new?from=${evaluation.id}&room=${roomText(room)}`}
            className={buttonClass({ size: 'sm' })}
          >
            {words.again(limitsOf(room))}
          </Link>
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
