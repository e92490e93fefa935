import { cx } from '@/components/cx'
import { formatSigned } from '@/lib/format'

import type { MoveView } from './episode'
import { text } from './view-words'
import { text as words } from './words'

export const Reward = ({ value }: Readonly<{ value: number }>) => (
  <span
    title={text.total}
    className={cx(
      'text-xs font-medium whitespace-nowrap',
      value > 0 ? 'text-good' : value < 0 ? 'text-bad' : 'text-ink-2',
    )}
  >
    {formatSigned(value)}
  </span>
)

/** What a message earned, part by part. */
export function Rewards({ move: { team, local } }: Readonly<{ move: MoveView }>) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
      <Parts name={words.team} parts={team} />
      <Parts name={words.own} parts={local} />
    </dl>
  )
}

function Parts({ name, parts }: Readonly<{ name: string; parts: MoveView['team'] }>) {
  const all = Object.entries(parts)
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="flex flex-wrap gap-x-3">
        {all.length === 0 ? <span className="text-ink-3">{text.noPart}</span> : null}
        {all.map(([part, value]) => (
          <span key={part} className="flex gap-1">
            <span className="text-ink-2">{part}</span>
            <Reward value={value} />
          </span>
        ))}
      </dd>
    </>
  )
}
