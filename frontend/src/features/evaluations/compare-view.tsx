import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowLeftRight, SearchX } from 'lucide-react'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { Fact } from '@/components/fact'
import { FilterSelect } from '@/components/filter-select'
import { IntervalPlot } from '@/components/interval-plot'
import { LongList } from '@/components/long-list'
import { Select } from '@/components/select'
import { formatCount, formatP, formatPoints } from '@/lib/format'
import { asInterval, shareAxis, type Interval } from '@/lib/interval'
import { useParam, useSetParams } from '@/lib/use-param'
import { text } from '@/strings/evaluations'

import { CompareHead, CompareRow } from './compare-row'
import { CompareTask } from './compare-task'
import { placeOf } from './task-place'
import { useArmName } from './use-arm-name'
import {
  OUTCOMES,
  comparedList,
  isActive,
  summaryQuery,
  type Evaluation,
  type Outcome,
  type Pair,
} from './use-evaluations'

const { compare: words } = text

/** Two arms on the same tasks. */
export function CompareView({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const labels = evaluation.arms.map(({ label }) => label)
  const nameOf = useArmName(evaluation)
  const [leftParam] = useParam('left')
  const [rightParam] = useParam('right')
  const task = placeOf(useParam('task')[0])
  const repeat = placeOf(useParam('repeat')[0]) ?? 0
  const left = labels.find((label) => label === leftParam) ?? labels[0]
  const right =
    labels.find((label) => label === rightParam && label !== left) ??
    labels.find((label) => label !== left)
  if (left === undefined || right === undefined)
    return <p className="py-6 text-ink-2">{words.needTwo}</p>
  return (
    <div className="flex flex-col gap-3">
      <Choice labels={labels} nameOf={nameOf} left={left} right={right} />
      {task === null ? (
        <>
          <PairOf evaluation={evaluation} left={left} right={right} />
          <Tasks key={`${left}/${right}`} evaluation={evaluation} left={left} right={right} />
        </>
      ) : (
        <CompareTask evaluation={evaluation} place={{ left, right, task, repeat }} />
      )}
    </div>
  )
}

interface Sides {
  left: string
  right: string
}

interface ChoiceProps extends Sides {
  labels: readonly string[]
  nameOf: (label: string) => string
}

function Choice({ labels, nameOf, left, right }: Readonly<ChoiceProps>) {
  const change = useSetParams()
  const [outcome, setOutcome] = useParam('outcome')
  const options = labels.map((label) => ({ key: label, label: nameOf(label) }))
  const names: Readonly<Record<Outcome, string>> = {
    ...words.outcomes,
    only_left: text.pairs.only(nameOf(left)),
    only_right: text.pairs.only(nameOf(right)),
  }
  /** Choosing the arm of the other side swaps the two. */
  const choose = (side: 'left' | 'right', label: string): void => {
    const other = side === 'left' ? right : left
    if (label === other) change({ left: right, right: left })
    else change({ left, right, [side]: label })
  }
  return (
    <div className="grid grid-cols-[1fr_auto_1fr] items-end gap-2 sm:flex sm:flex-wrap">
      <Select
        label={words.left}
        options={options}
        value={left}
        onChange={(label) => choose('left', label)}
        className="sm:w-56"
      />
      <Button
        aria-label={words.swap}
        onPress={() => change({ left: right, right: left })}
        icon={ArrowLeftRight}
      />
      <Select
        label={words.right}
        options={options}
        value={right}
        onChange={(label) => choose('right', label)}
        className="sm:w-56"
      />
      <FilterSelect
        any={words.outcomes.all}
        label={words.outcome}
        options={OUTCOMES.map((key) => ({ key, label: names[key] }))}
        value={outcome}
        onChange={setOutcome}
        className="col-span-3 sm:ml-auto sm:w-52"
      />
    </div>
  )
}

function PairOf({ evaluation, left, right }: Readonly<Sides & { evaluation: Evaluation }>) {
  const pairs = useQuery(summaryQuery(evaluation)).data?.pairs ?? []
  const nameOf = useArmName(evaluation)
  const pair = pairs.find((each) => each.left === left && each.right === right)
  const turned = pairs.find((each) => each.left === right && each.right === left)
  if (pair) return <PairSummary pair={pair} nameOf={nameOf} />
  return turned ? <PairSummary pair={turned} nameOf={nameOf} turned /> : null
}

function Tasks({ evaluation, left, right }: Readonly<Sides & { evaluation: Evaluation }>) {
  const nameOf = useArmName(evaluation)
  const [param] = useParam('outcome')
  const outcome: Outcome | null = OUTCOMES.find((known) => known === param) ?? null
  const list = useInfiniteQuery(
    comparedList(evaluation.id, left, right, outcome, isActive(evaluation)),
  )
  return (
    <LongList
      list={list}
      label={words.label}
      head={<CompareHead left={nameOf(left)} right={nameOf(right)} />}
      keyOf={({ left: cell }) => String(cell.id)}
      render={(row) => <CompareRow row={row} nameOf={nameOf} />}
      rowHeight={73}
      isGrowing={isActive(evaluation)}
      empty={
        <EmptyState icon={SearchX} title={words.emptyTitle}>
          {words.emptyBody}
        </EmptyState>
      }
    />
  )
}

const { pairs: pairWords } = text
const WITHIN = [-1, 1] as const

interface Props {
  pair: Pair
  nameOf: (label: string) => string
  turned?: boolean
}

/** The numbers of one pair; `turned` when the sides on the page are the other way round. */
function PairSummary({ pair, nameOf, turned = false }: Readonly<Props>) {
  const shown = turned ? turn(pair) : pair
  const interval = asInterval(shown.interval)
  const axis = shareAxis([...(interval ? [interval] : []), [0, 0]], WITHIN)
  const [low, high] = [formatPoints(interval?.[0]), formatPoints(interval?.[1])]
  return (
    <dl className="grid grid-cols-2 items-end gap-x-6 gap-y-3 rounded-lg border border-line bg-surface-1 px-4 py-3 sm:flex sm:flex-wrap">
      <Fact name={pairWords.only(nameOf(shown.left))}>{formatCount(shown.only_left)}</Fact>
      <Fact name={pairWords.only(nameOf(shown.right))}>{formatCount(shown.only_right)}</Fact>
      <Fact name={pairWords.n}>{formatCount(shown.n)}</Fact>
      <Fact name={pairWords.p}>{formatP(shown.mcnemar_p)}</Fact>
      <Fact name={pairWords.corrected}>{formatP(shown.holm_p)}</Fact>
      <Fact name={pairWords.difference}>{formatPoints(shown.difference)}</Fact>
      <Fact name={pairWords.interval} className="col-span-2 min-w-64 flex-1">
        <span className="flex items-center gap-3">
          <IntervalPlot
            className="flex-1"
            value={shown.difference}
            interval={interval}
            axis={axis}
            zero={0}
            label={pairWords.plot(
              nameOf(shown.left),
              nameOf(shown.right),
              formatPoints(shown.difference),
              low,
              high,
            )}
          />
          <span className="text-xs font-normal text-ink-2">
            {interval ? text.armTable.range(low, high) : ''}
          </span>
        </span>
      </Fact>
    </dl>
  )
}

function turn(pair: Pair): Pair {
  const interval = asInterval(pair.interval)
  const turned: Interval | null = interval && [-interval[1], -interval[0]]
  return {
    ...pair,
    left: pair.right,
    right: pair.left,
    only_left: pair.only_right,
    only_right: pair.only_left,
    difference: pair.difference === null ? null : -pair.difference,
    interval: turned && [...turned],
  }
}
