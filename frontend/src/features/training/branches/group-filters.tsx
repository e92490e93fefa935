import { useInfiniteQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'

import { Button } from '@/components/button'
import { FilterSelect } from '@/components/filter-select'
import { NumberField } from '@/components/number-field'
import { formatMetric } from '@/lib/format'
import { text } from '@/strings/branches'
import { endOf } from '@/strings/ends'

import { agentName, taskNumber } from './group'
import { useBranchFilters } from './use-branch-filters'
import { groupList } from './use-branches'

const { filters: words } = text

/** Chooses which of a step's groups are shown. */
export function GroupFilters({ job, step }: Readonly<{ job: string; step: number }>) {
  const { filters, isFiltered, change, clear } = useBranchFilters()
  const first = useInfiniteQuery(groupList(job, step, filters)).data?.pages[0]
  const [low, high] = first?.rewards ?? []
  const { task, agent, turn, ended, mixed, least, most } = filters
  return (
    <div
      role="group"
      aria-label={words.label}
      className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap"
    >
      <FilterSelect
        any={words.anyAgent}
        label={words.agent}
        options={(first?.agents ?? []).map((key) => ({ key, label: agentName(key) }))}
        value={agent ?? null}
        onChange={(key) => change('agent', key)}
      />
      <FilterSelect
        any={words.anyTurn}
        label={words.turn}
        options={(first?.turns ?? []).map((each) => ({
          key: String(each),
          label: words.aTurn(each),
        }))}
        value={turn === undefined ? null : String(turn)}
        onChange={(key) => change('turn', key)}
        className="sm:w-32"
      />
      <FilterSelect
        any={words.anyRewards}
        label={words.rewards}
        options={[
          { key: 'mixed', label: words.mixed },
          { key: 'equal', label: words.flat },
        ]}
        value={mixed === undefined ? null : mixed ? 'mixed' : 'equal'}
        onChange={(key) => change('rewards', key)}
        className="sm:w-44"
      />
      <FilterSelect
        any={words.anyEnded}
        label={words.ended}
        options={(first?.endings ?? []).map((key) => ({
          key,
          label: words.anEnd(endOf(key)),
        }))}
        value={ended ?? null}
        onChange={(key) => change('ended', key)}
        className="sm:w-52"
      />
      <span className="col-span-2 flex items-center gap-2 text-ink-2">
        {words.least}
        <Limit
          label={words.least}
          value={least}
          without={low}
          onChange={(value) => change('least', value)}
        />
        {words.most}
        <Limit
          label={words.mostFull}
          value={most}
          without={high}
          onChange={(value) => change('most', value)}
        />
      </span>
      {task === undefined ? null : (
        <Button
          className="justify-self-start"
          onPress={() => change('task', null)}
          aria-label={words.everyTask(taskNumber(task))}
          icon={X}
        >
          {words.onlyTask(taskNumber(task))}
        </Button>
      )}
      {isFiltered ? (
        <Button variant="quiet" size="sm" onPress={clear} className="justify-self-start">
          {words.clear}
        </Button>
      ) : null}
    </div>
  )
}

interface LimitProps {
  label: string
  value: number | undefined
  /** The step's own limit, which holds without a value. */
  without: number | undefined
  onChange: (value: number | null) => void
}

const Limit = ({ label, value, without, onChange }: Readonly<LimitProps>) => (
  <NumberField
    live
    label={label}
    labelHidden
    className="w-20"
    value={value ?? null}
    placeholder={without === undefined ? '' : formatMetric(without)}
    onChange={onChange}
  />
)
