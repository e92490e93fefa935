import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'

import { Badge } from '@/components/badge'
import { Cell, NumberCell } from '@/components/cells'
import { cx } from '@/components/cx'
import { NoMatch } from '@/components/listing'
import { LongList } from '@/components/long-list'
import { TextLink } from '@/components/text-link'
import { formatMetric } from '@/lib/format'
import { text } from '@/strings/branches'
import { endOf } from '@/strings/ends'

import { agentName, episodeNumber, groupAddress, spreadOf, taskNumber } from './group'
import { RewardStrip, type Ends } from './reward-strip'
import { groupList, type Group, type GroupFilters } from './use-branches'

const { columns } = text
const COLUMNS =
  'lg:grid lg:grid-cols-[minmax(9rem,1fr)_minmax(9rem,1fr)_minmax(10rem,1.6fr)_4.5rem_4.5rem_4.5rem_6rem_minmax(8rem,1fr)] lg:gap-x-4'
const NUMBERS = [columns.mean, columns.best, columns.worst, columns.deviation]

interface Props {
  job: string
  step: number
  filters: GroupFilters
  onClear: () => void
}

/** The groups of a step that match the filters. */
export function GroupTable({ job, step, filters, onClear }: Readonly<Props>) {
  const list = useInfiniteQuery(groupList(job, step, filters))
  const first = list.data?.pages[0]
  const [low = 0, high = 0] = first?.rewards ?? []
  const ends: Ends = [low, high]
  return (
    <LongList
      list={list}
      label={text.label}
      head={<Head />}
      keyOf={({ episode, agent, turn }) => `${episode}/${agent}/${turn}`}
      render={(group) => <GroupRow job={job} step={step} group={group} ends={ends} />}
      rowHeight={45}
      empty={
        <NoMatch title={text.noMatchTitle} clear={text.filters.clear} onClear={onClear}>
          {text.noMatchBody}
        </NoMatch>
      }
    />
  )
}

const Head = () => (
  <div
    role="row"
    aria-rowindex={1}
    className={cx(
      'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3',
      COLUMNS,
    )}
  >
    {[columns.place, columns.agent, columns.rewards].map((head) => (
      <span key={head} role="columnheader">
        {head}
      </span>
    ))}
    {NUMBERS.map((head) => (
      <span
        key={head}
        role="columnheader"
        title={head === columns.deviation ? text.deviationHelp : undefined}
        className="text-right"
      >
        {head}
      </span>
    ))}
    <span role="columnheader">{columns.ended}</span>
  </div>
)

interface RowProps {
  job: string
  step: number
  group: Group
  /** Of the rewards of the whole step. */
  ends: Ends
}

function GroupRow({ job, step, group, ends }: Readonly<RowProps>) {
  const { search } = useLocation()
  const { rewards, cut } = group
  const { mean, best, worst, deviation, isFlat } = spreadOf(rewards)
  return (
    <div
      className={cx(
        'relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 hover:bg-surface-2',
        COLUMNS,
      )}
    >
      <Cell>
        <TextLink
          to={{ pathname: groupAddress(job, step, group), search }}
          aria-label={text.open(episodeNumber(group.episode), group.agent, group.turn)}
          // All of the row opens it.
          className="font-medium after:absolute after:inset-0"
        >
          {text.episode(episodeNumber(group.episode))}
        </TextLink>{' '}
        <span className="text-xs whitespace-nowrap text-ink-3">
          {text.task(taskNumber(group.task))}
        </span>
      </Cell>
      <Cell className="max-lg:ml-auto">
        {agentName(group.agent)} <span className="text-xs text-ink-3">{text.turn(group.turn)}</span>
      </Cell>
      <Cell className="flex w-full items-center gap-2 lg:w-auto">
        <RewardStrip rewards={rewards} ends={ends} />
        {isFlat ? <Badge title={text.equalHelp}>{text.equal}</Badge> : null}
        {cut > 0 ? (
          <Badge tone="warn" title={text.cutHelp}>
            {text.cut(cut, rewards.length)}
          </Badge>
        ) : null}
      </Cell>
      <NumberCell label={columns.mean}>{formatMetric(mean)}</NumberCell>
      <NumberCell label={columns.best}>{formatMetric(best)}</NumberCell>
      <NumberCell label={columns.worst}>{formatMetric(worst)}</NumberCell>
      <NumberCell label={columns.deviation}>{isFlat ? '0' : formatMetric(deviation)}</NumberCell>
      <Cell className="max-lg:ml-auto max-lg:text-xs">
        {group.solved ? <Badge tone="good">{endOf(group.ended)}</Badge> : endOf(group.ended)}
      </Cell>
    </div>
  )
}
