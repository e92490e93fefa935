import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowLeftRight, SearchX } from 'lucide-react'
import { useCallback, useMemo } from 'react'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { FilterSelect } from '@/components/filter-select'
import { Select } from '@/components/select'
import { VirtualTable } from '@/components/virtual-table'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { useParam, useSetParams } from '@/lib/use-param'

import { CompareHead, CompareRow } from './compare-row'
import { text } from './evaluation-strings'
import { PairSummary } from './pair-summary'
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
  const left = labels.find((label) => label === leftParam) ?? labels[0]
  const right =
    labels.find((label) => label === rightParam && label !== left) ??
    labels.find((label) => label !== left)
  if (left === undefined || right === undefined)
    return <p className="py-6 text-ink-2">{words.needTwo}</p>
  return (
    <div className="flex flex-col gap-3">
      <Choice labels={labels} nameOf={nameOf} left={left} right={right} />
      <PairOf evaluation={evaluation} left={left} right={right} />
      <Tasks key={`${left}/${right}`} evaluation={evaluation} left={left} right={right} />
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
        options={OUTCOMES.map((key) => ({ key, label: words.outcomes[key] }))}
        value={outcome}
        onChange={setOutcome}
        className="col-span-3 sm:ml-auto sm:w-52"
      />
    </div>
  )
}

function PairOf({ evaluation, left, right }: Readonly<Sides & { evaluation: Evaluation }>) {
  const pairs = useQuery(summaryQuery(evaluation.id, !isActive(evaluation))).data?.pairs ?? []
  const pair = pairs.find((each) => each.left === left && each.right === right)
  const turned = pairs.find((each) => each.left === right && each.right === left)
  if (pair) return <PairSummary pair={pair} />
  return turned ? <PairSummary pair={turned} turned /> : null
}

function Tasks({ evaluation, left, right }: Readonly<Sides & { evaluation: Evaluation }>) {
  const nameOf = useArmName(evaluation)
  const [param] = useParam('outcome')
  const outcome: Outcome | null = OUTCOMES.find((known) => known === param) ?? null
  const list = useInfiniteQuery(
    comparedList(evaluation.id, left, right, outcome, isActive(evaluation)),
  )
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.results) ?? [], [list.data])
  const { fetchNextPage, isFetchingNextPage } = list
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])
  if (list.isPending) return <WorkingBlock />
  if (list.isError)
    return <ErrorPanel problem={toApiError(list.error)} onRetry={() => void list.refetch()} />
  return (
    <>
      <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
        {rows.length === 0 ? (
          <EmptyState icon={<SearchX size={28} aria-hidden />} title={words.emptyTitle}>
            {words.emptyBody}
          </EmptyState>
        ) : (
          <VirtualTable
            label={words.label}
            head={<CompareHead left={nameOf(left)} right={nameOf(right)} />}
            rows={rows}
            keyOf={({ left: cell }) => String(cell.id)}
            render={(row) => <CompareRow row={row} nameOf={nameOf} />}
            rowHeight={73}
            isComplete={!list.hasNextPage}
            onEnd={more}
          />
        )}
      </div>
      {rows.length > 0 ? (
        <p className="text-xs text-ink-3">
          {list.hasNextPage
            ? text.answers.shown(formatCount(rows.length))
            : text.answers.all(formatCount(rows.length))}
        </p>
      ) : null}
    </>
  )
}
