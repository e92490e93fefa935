import { Check, Scissors } from 'lucide-react'

import { Badge } from '@/components/badge'
import { cx } from '@/components/cx'
import { isLater } from '@/components/run/family-views'
import { FAMILIES } from '@/families/registry'
import { formatCount, formatMetric, formatSigned } from '@/lib/format'
import { text } from '@/strings/branches'

import { advantageTold, type Scale } from './heat'
import { TokenText } from './token-text'
import type { Branch } from './use-branches'

const { branch: words } = text
const Still = FAMILIES.filter(isLater).find((family) => family.Still)?.Still

/** One answer of a group: what it earned and for what, and its tokens. */
export function BranchCard({ branch, scale }: Readonly<{ branch: Branch; scale: Scale }>) {
  const title = words.title(branch.branch)
  return (
    <li
      className={cx(
        'flex min-w-0 flex-col gap-2.5 rounded-lg border bg-surface-1 p-3 [contain-intrinsic-size:auto_14rem] [content-visibility:auto]',
        branch.taken ? 'border-2 border-accent' : 'border-line',
      )}
    >
      <div className="flex flex-wrap items-center gap-1.5">
        <h3 className="text-sm font-semibold">{title}</h3>
        {branch.taken ? (
          <Badge tone="accent" title={words.takenHelp} icon={<Check size={12} aria-hidden />}>
            {words.taken}
          </Badge>
        ) : null}
        {branch.finish === 'length' ? (
          <Badge tone="warn" title={words.cutHelp} icon={<Scissors size={12} aria-hidden />}>
            {words.cut}
          </Badge>
        ) : null}
        <span className="ml-auto text-xs text-ink-3">
          {words.tokens(branch.tokens.length, formatCount(branch.tokens.length))}
        </span>
      </div>
      <dl className="grid grid-cols-2 gap-x-3">
        <div>
          <dt className="text-xs text-ink-3">{words.reward}</dt>
          <dd className="text-base font-semibold">{formatMetric(branch.reward)}</dd>
        </div>
        <div title={words.advantageHelp}>
          <dt className="text-xs text-ink-3">{words.advantage}</dt>
          <dd className="text-base font-semibold">{advantageTold(branch)}</dd>
        </div>
      </dl>
      <Parts branch={branch} />
      <TokenText branch={branch} scale={scale} label={text.heat.tokensOf(title)} />
      {branch.read.trim() === branch.message.trim() ? null : (
        <p className="text-xs text-ink-2">
          {branch.read ? (
            <>
              <span className="text-ink-3">{words.read}</span> {branch.read}
            </>
          ) : (
            words.unread
          )}
        </p>
      )}
      {Still && Object.keys(branch.picture).length > 0 ? (
        <div className="flex flex-col gap-1">
          <p className="text-xs text-ink-3">{words.after}</p>
          <Still picture={branch.picture} />
        </div>
      ) : null}
    </li>
  )
}

/** "goal +1 team", "steps −0.04 own". */
function Parts({ branch: { team, local } }: Readonly<{ branch: Branch }>) {
  const parts = [
    ...Object.entries(team).map(([name, value]) => ({ name, value, whose: words.team })),
    ...Object.entries(local).map(([name, value]) => ({ name, value, whose: words.own })),
  ].filter(({ value }) => value !== 0)
  if (parts.length === 0) return <p className="text-xs text-ink-3">{words.noParts}</p>
  return (
    <ul className="flex flex-wrap gap-1">
      {parts.map(({ name, value, whose }) => (
        <li
          key={`${whose}/${name}`}
          className="rounded-sm bg-surface-2 px-1.5 text-xs leading-5 whitespace-nowrap text-ink-2"
        >
          {name} <span className="font-medium text-ink">{formatSigned(value)}</span>{' '}
          <span className="text-ink-3">{whose}</span>
        </li>
      ))}
    </ul>
  )
}
