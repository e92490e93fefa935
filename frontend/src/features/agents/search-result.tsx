import { Card } from '@/components/card'
import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { FamilyMark } from '@/components/family-mark'
import { Notice } from '@/components/notice'
import { TextLink } from '@/components/text-link'
import { formatCount, formatMetric } from '@/lib/format'
import { placeOn } from '@/lib/interval'

import { text } from '@/strings/agents'

import { because, nameOf, quality, type Candidate, type Search } from './search-draft'

const { search: words, columns: heads, help } = text

/** The candidates, each part of their scores, and why the first is the first. */
export function SearchResult({ found }: Readonly<{ found: Search }>) {
  return (
    <Card flush title={words.answer}>
      <div className="flex flex-col gap-3 px-4 py-3">
        <p role="status" className="max-w-prose">
          {because(found)}
        </p>
        {found.reached ? null : (
          <Notice
            tone="warn"
            title={words.notReached(formatMetric(found.nearest), formatMetric(found.threshold))}
          />
        )}
        <p className="text-xs text-ink-3">
          {words.searched(formatCount(found.agents), formatCount(found.selections))}
        </p>
        <Legend />
      </div>
      <div className="border-t border-line">
        <DataTable
          label={words.candidates}
          rows={found.candidates}
          keyOf={({ role_key, endpoint }) => `${role_key}/${endpoint}`}
          columns={columnsOf(found)}
        />
      </div>
    </Card>
  )
}

const PARTS = [
  { key: 'quality', className: 'bg-accent' },
  {
    key: 'exploration',
    className: 'bg-[repeating-linear-gradient(45deg,var(--warn)_0_3px,transparent_3px_6px)]',
  },
] as const

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-2">
      {PARTS.map(({ key, className }) => (
        <li key={key} className="inline-flex items-center gap-2">
          <span aria-hidden className={`h-2.5 w-5 rounded-sm border border-line ${className}`} />
          {words.parts[key]}
        </li>
      ))}
    </ul>
  )
}

function columnsOf({ candidates, threshold }: Search): Column<Candidate>[] {
  const most = Math.max(...candidates.map((one) => Math.max(quality(one), 0) + one.exploration), 0)
  return [
    {
      key: 'agent',
      head: heads.agent,
      isRowHead: true,
      className: 'min-w-40',
      render: (candidate) => <AgentName candidate={candidate} />,
    },
    {
      key: 'score',
      head: words.score,
      title: words.scoreHelp,
      className: 'w-1/4 min-w-28',
      render: (candidate) => <Score candidate={candidate} most={most} />,
    },
    {
      key: 'similarity',
      head: words.similarity,
      title: words.similarityHelp,
      className: 'min-w-28',
      render: (candidate) => <Gate candidate={candidate} threshold={threshold} />,
    },
    numberColumn(
      'reward',
      heads.meanReward,
      ({ reward, count }) => formatMetric(count > 0 ? reward : null),
      help.meanReward,
    ),
    numberColumn(
      'cost',
      heads.meanCost,
      ({ cost, count }) => formatMetric(count > 0 ? cost : null),
      help.meanCost,
    ),
    numberColumn('count', heads.count, ({ count }) => formatCount(count), help.count),
    numberColumn(
      'performance',
      words.performance,
      ({ performance }) => formatMetric(performance),
      words.performanceHelp,
    ),
    numberColumn(
      'exploration',
      words.explorationTerm,
      ({ exploration }) => formatMetric(exploration),
      words.explorationHelp,
    ),
  ]
}

function AgentName({ candidate }: Readonly<{ candidate: Candidate }>) {
  const { agent, role_name, endpoint, endpoint_name, family } = candidate
  return (
    <span className="flex items-center gap-2">
      <FamilyMark family={family} iconOnly />
      <span className="min-w-0">
        {agent === null ? role_name : <TextLink to={`/agents/${agent}`}>{role_name}</TextLink>}
        <span className="block truncate text-xs font-normal text-ink-3">
          {endpoint_name || endpoint}
        </span>
      </span>
    </span>
  )
}

const COSINES = [-0.2, 1] as const
const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

/** The inner product against the threshold, and how far the gate is open. */
function Gate({ candidate, threshold }: Readonly<{ candidate: Candidate; threshold: number }>) {
  const { inner_product: product, similarity } = candidate
  const label = words.gateOf(
    nameOf(candidate),
    formatMetric(product),
    formatMetric(threshold),
    formatMetric(similarity),
  )
  return (
    <span role="img" aria-label={label} title={label} className="grid gap-0.5">
      <span className="flex justify-between gap-2 text-xs">
        <span className="font-medium">{formatMetric(product)}</span>
        <span className="text-ink-3">{words.open(formatMetric(similarity))}</span>
      </span>
      <span className="relative block h-1.5 overflow-hidden rounded-full bg-surface-3">
        <span
          className={product >= threshold ? 'block h-full bg-accent' : 'block h-full bg-ink-3'}
          style={{ width: percent(placeOn(product, COSINES)) }}
        />
        <span
          className="absolute inset-y-0 w-0.5 bg-ink"
          style={{ left: percent(placeOn(threshold, COSINES)) }}
        />
      </span>
    </span>
  )
}

/** similarity · performance and exploration, one after the other; what is below zero is no bar. */
function Score({ candidate, most }: Readonly<{ candidate: Candidate; most: number }>) {
  const parts = { quality: Math.max(quality(candidate), 0), exploration: candidate.exploration }
  const label = words.scoreOf(
    nameOf(candidate),
    formatMetric(candidate.score),
    formatMetric(quality(candidate)),
    formatMetric(candidate.exploration),
  )
  return (
    <span role="img" aria-label={label} title={label} className="grid gap-0.5">
      <span className="text-xs font-medium">{formatMetric(candidate.score)}</span>
      <span className="flex h-2.5 overflow-hidden rounded-sm bg-surface-3">
        {PARTS.map(({ key, className }) => (
          <span
            key={key}
            className={className}
            style={{ width: percent(most > 0 ? parts[key] / most : 0) }}
          />
        ))}
      </span>
    </span>
  )
}
