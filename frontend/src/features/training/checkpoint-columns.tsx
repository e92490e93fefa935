import { Ago } from '@/components/ago'
import { Badge } from '@/components/badge'
import { Checkbox } from '@/components/checkbox'
import { numberColumn } from '@/components/data-table'
import type { Column } from '@/components/data-table'
import { TextLink } from '@/components/text-link'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { formatBytes, formatCount, formatMetric, formatShare, UNKNOWN } from '@/lib/format'

import { CheckpointMenu } from './checkpoint-menu'
import { countsOf, metricsOf } from './checkpoint-values'
import { text } from '@/strings/training'

const { checkpoints: words } = text

export interface Wanted {
  readonly marked: readonly string[]
  readonly onMark: (name: string, isMarked: boolean) => void
  /** The name of the best of them; null: not known. */
  readonly best: string | null
  readonly hasHeldOut: boolean
}

/** What was measured on tasks that training did not see comes first: the rest is of one step. */
export const checkpointColumns = ({
  marked,
  onMark,
  best,
  hasHeldOut,
}: Wanted): Column<Checkpoint>[] => [
  {
    key: 'choose',
    head: <span className="sr-only">{words.columns.choose}</span>,
    className: 'w-8',
    render: ({ name }) => (
      <Checkbox isSelected={marked.includes(name)} onChange={(isMarked) => onMark(name, isMarked)}>
        <span className="sr-only">{words.mark(name)}</span>
      </Checkbox>
    ),
  },
  {
    key: 'name',
    head: words.columns.name,
    isRowHead: true,
    className: 'min-w-48',
    value: ({ name }) => name,
    render: (checkpoint) => <Name checkpoint={checkpoint} isBest={checkpoint.name === best} />,
  },
  {
    key: 'job',
    head: words.columns.job,
    value: ({ job_name }) => job_name,
    render: ({ job, job_name }) =>
      job === null ? UNKNOWN : <TextLink to={`/training/${job}`}>{job_name}</TextLink>,
  },
  numberColumn('step', words.columns.step, ({ step }) => formatCount(step), undefined, {
    value: ({ step }) => step,
  }),
  ...(hasHeldOut
    ? [
        measured('held_out_reward', words.columns.heldOutReward, formatMetric),
        measured('held_out_accuracy', words.columns.heldOutAccuracy, formatShare),
      ]
    : []),
  measured('reward', words.columns.reward, formatMetric),
  measured('accuracy', words.columns.accuracy, formatShare),
  measured('tokens', words.columns.tokens, formatCount),
  numberColumn('size', words.columns.size, ({ size_bytes }) => formatBytes(size_bytes), undefined, {
    value: ({ size_bytes }) => size_bytes,
  }),
  {
    key: 'when',
    head: words.columns.when,
    className: 'whitespace-nowrap',
    first: 'descending',
    value: ({ created_at }) => created_at,
    render: ({ created_at }) => <Ago at={created_at} />,
  },
  {
    key: 'actions',
    head: <span className="sr-only">{words.columns.actions}</span>,
    // In sight also where the window is too narrow for the table.
    className: 'sticky right-0 border-l border-line bg-inherit max-sm:px-1',
    render: (checkpoint) => <CheckpointMenu checkpoint={checkpoint} />,
  },
]

function measured(
  metric: string,
  head: string,
  format: (value: number | undefined) => string,
): Column<Checkpoint> {
  const isHeldOut = metric.startsWith('held_out_')
  return {
    key: metric,
    head,
    title: isHeldOut ? words.heldOutHelp : words.ofStepHelp,
    numeric: true,
    value: (row) => metricsOf(row)[metric] ?? null,
    render: (row) => {
      const metrics = metricsOf(row)
      const [value, low, high] = ['', '/low', '/high'].map((part) => metrics[`${metric}${part}`])
      const basis = basisOf(row, metric)
      return (
        <>
          {format(value)}
          {low === undefined || high === undefined ? null : (
            <span className="block text-xs text-ink-3" title={words.interval}>
              {words.range(format(low), format(high))}
            </span>
          )}
          {value === undefined || basis === null ? null : (
            <span className="block text-xs text-ink-3">{basis}</span>
          )}
        </>
      )
    },
  }
}

/** How many tasks a number rests on. Its recipe knows only how many were asked: those that an endpoint left out do not
 * count. A mean of queries with several systems each is no share of all systems: it is not given their number. */
function basisOf(row: Checkpoint, metric: string): string | null {
  const isHeldOut = metric.startsWith('held_out_')
  const counted = metricsOf(row)[isHeldOut ? 'held_out_accuracy/n' : `${metric}/n`]
  if (counted !== undefined) return words.count(formatCount(counted))
  const { heldOut, queries, systems } = countsOf(row)
  const asked = isHeldOut ? heldOut : queries
  if (asked === null) return null
  return isHeldOut || systems === 1
    ? words.countAtMost(formatCount(asked))
    : words.meanOf(formatCount(asked), formatCount(systems))
}

function Name({ checkpoint, isBest }: Readonly<{ checkpoint: Checkpoint; isBest: boolean }>) {
  const { name, label, is_default, promoted, trained } = checkpoint
  return (
    <>
      <span className="flex flex-wrap items-center gap-1.5">
        {name}
        {isBest ? (
          <Badge tone="good" title={words.bestHelp}>
            {words.best}
          </Badge>
        ) : null}
        {is_default ? <Badge tone="accent">{words.default}</Badge> : null}
        {promoted && !is_default ? <Badge tone="good">{words.promoted}</Badge> : null}
        {trained ? null : <Badge tone="warn">{words.untrained}</Badge>}
      </span>
      {label && label !== name ? (
        <span className="block text-xs font-normal text-ink-3">{label}</span>
      ) : null}
    </>
  )
}
