import { useSearchParams } from 'react-router'

import { IntervalPlot } from '@/components/interval-plot'
import { TextLink } from '@/components/text-link'
import { formatCount, formatMetric, formatShare } from '@/lib/format'
import { asInterval } from '@/lib/interval'
import { seriesLook } from '@/lib/series'

import { text } from '@/strings/evaluations'

import type { ArmRationality } from './use-evaluations'
import { causesOf, type Cause } from './why'

const { why: words } = text
const WHOLE = [0, 1] as const

interface Props {
  arm: ArmRationality
  index: number
  name: string
}

/** One arm: how many of its roles match, and the causes of its wrong answers. */
export function ArmCauses({ arm, index, name }: Readonly<Props>) {
  const causes = causesOf(arm)
  return (
    <section className="flex h-full flex-col gap-3 rounded-md border border-line p-3">
      <h3 className="text-sm font-semibold break-words">{name}</h3>
      <Roles roles={arm.roles} name={name} color={seriesLook(index).color} />
      {causes.length === 0 ? (
        <p className="text-sm text-ink-3">{words.none}</p>
      ) : (
        <Causes causes={causes} name={name} />
      )}
    </section>
  )
}

interface RolesProps {
  roles: ArmRationality['roles']
  name: string
  color: string
}

function Roles({ roles, name, color }: Readonly<RolesProps>) {
  if (!roles) return <p className="text-sm text-ink-3">{words.noRoles}</p>
  const interval = asInterval(roles.share_interval)
  const similar = asInterval(roles.similarity_interval)
  const [share, low, high] = [roles.share, interval?.[0], interval?.[1]].map(formatShare)
  return (
    <div className="flex flex-col gap-0.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="text-ink-2">{words.roles}</span>
        <span>
          <span className="font-medium">{share}</span>{' '}
          <span className="text-xs text-ink-3">{text.armTable.range(low ?? '', high ?? '')}</span>
        </span>
      </p>
      <IntervalPlot
        value={roles.share}
        interval={interval}
        axis={WHOLE}
        color={color}
        label={words.plot(name, share ?? '', low ?? '', high ?? '')}
      />
      <p className="text-xs text-ink-3">
        {words.similarity(
          formatMetric(roles.similarity),
          formatMetric(similar?.[0]),
          formatMetric(similar?.[1]),
          roles.tasks,
          formatCount(roles.tasks),
        )}
      </p>
    </div>
  )
}

function Causes({ causes, name }: Readonly<{ causes: readonly Cause[]; name: string }>) {
  const [params] = useSearchParams()
  const link = ({ search }: Cause): string => {
    const next = new URLSearchParams(params)
    for (const part of ['q', 'why', 'task', 'repeat']) next.delete(part)
    for (const [part, value] of Object.entries(search)) next.set(part, value)
    return next.toString()
  }
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">{words.table(name)}</caption>
      <thead className="text-xs text-ink-3">
        <tr className="border-b border-line">
          <th scope="col" className="py-1 text-left font-medium">
            {words.category}
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            {words.count}
          </th>
        </tr>
      </thead>
      <tbody>
        {causes.map((cause) => (
          <tr key={cause.key} className="border-b border-line last:border-b-0">
            <th scope="row" className="py-1.5 pr-3 text-left font-normal">
              <TextLink to={{ search: link(cause) }} aria-label={words.open(cause.name, name)}>
                {cause.name}
              </TextLink>
              {cause.by ? (
                <span className="block text-xs break-words text-ink-3">{cause.by}</span>
              ) : null}
            </th>
            <td className="py-1.5 text-right align-top whitespace-nowrap">
              {formatCount(cause.count)}
              {cause.share === null ? null : (
                <span className="block text-xs text-ink-3">{formatShare(cause.share)}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
