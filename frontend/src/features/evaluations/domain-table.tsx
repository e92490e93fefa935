import { Card } from '@/components/card'
import { DataTable } from '@/components/data-table'
import { SeriesMark } from '@/components/series-mark'
import type { components } from '@/generated/api'
import { formatCount, formatShare, UNKNOWN } from '@/lib/format'
import { text } from '@/strings/evaluations'

import { rangeText } from './range-text'
import { StackedNumber } from './stacked-number'

type DomainShare = components['schemas']['DomainShare']

const { domains: words } = text

interface Props {
  shares: readonly DomainShare[]
  leftOut: number
  labels: readonly string[]
  nameOf: (label: string) => string
}

interface Row {
  readonly domain: string
  readonly tasks: number
  readonly byArm: ReadonlyMap<string, DomainShare>
}

/** What each arm got right of the tasks of every subject or level. */
export function DomainTable({ shares, leftOut, labels, nameOf }: Readonly<Props>) {
  return (
    <Card flush title={words.title}>
      <p className="max-w-3xl px-4 py-2.5 text-xs text-ink-2">{words.help}</p>
      <div className="border-t border-line">
        <DataTable
          label={words.title}
          rows={rowsOf(shares)}
          keyOf={({ domain }) => domain}
          columns={[
            {
              key: 'domain',
              head: words.domain,
              isRowHead: true,
              className: 'min-w-24',
              render: ({ domain, tasks }: Row) => (
                <>
                  {domain || words.none}
                  <span className="block text-xs font-normal text-ink-3">
                    {text.tasks(tasks, formatCount(tasks))}
                  </span>
                </>
              ),
            },
            ...labels.map((label, index) => ({
              key: label,
              head: (
                <span className="inline-flex items-center gap-1.5">
                  <SeriesMark index={index} />
                  {nameOf(label)}
                </span>
              ),
              numeric: true,
              className: 'min-w-28',
              render: ({ byArm }: Row) => <Share share={byArm.get(label)} />,
            })),
          ]}
        />
      </div>
      {leftOut > 0 ? (
        <p className="px-4 py-2 text-xs text-ink-3">{words.leftOut(leftOut)}</p>
      ) : null}
    </Card>
  )
}

function Share({ share }: Readonly<{ share: DomainShare | undefined }>) {
  if (!share) return UNKNOWN
  return (
    <StackedNumber
      main={formatShare(share.accuracy)}
      below={[
        rangeText(share.interval, formatShare),
        ...(share.tokens_mean === null ? [] : [words.tokens(formatCount(share.tokens_mean))]),
      ]}
    />
  )
}

function rowsOf(shares: readonly DomainShare[]): Row[] {
  const domains = [...new Set(shares.map(({ domain }) => domain))]
  return domains.map((domain) => {
    const mine = shares.filter((share) => share.domain === domain)
    const tasks = Math.max(...mine.map((share) => share.tasks))
    return { domain, tasks, byArm: new Map(mine.map((share) => [share.label, share])) }
  })
}
