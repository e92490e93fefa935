import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowLeftRight, SearchX } from 'lucide-react'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { FilterSelect } from '@/components/filter-select'
import { LongList } from '@/components/long-list'
import { Select } from '@/components/select'
import { useParam, useSetParams } from '@/lib/use-param'

import { CompareHead, CompareRow } from './compare-row'
import { CompareTask } from './compare-task'
import { text } from '@/strings/evaluations'
import { PairSummary } from './pair-summary'
import { placeOf } from './task-place'
import { useArmName } from './use-arm-name'
import {
  comparedList,
  isActive,
  OUTCOMES,
  summaryQuery,
  type Evaluation,
  type Outcome,
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
        icon={<ArrowLeftRight size={14} aria-hidden />}
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
        <EmptyState icon={<SearchX size={28} aria-hidden />} title={words.emptyTitle}>
          {words.emptyBody}
        </EmptyState>
      }
    />
  )
}
