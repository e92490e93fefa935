import type { ReactNode } from 'react'

import { strings } from '@/lib/strings'

import type { WorkStatus } from './badge'
import { Button } from './button'
import { Checkbox } from './checkbox'
import { DelayedSearch } from './delayed-search'
import { FilterSelect } from './filter-select'

export interface CommonFilters {
  readonly status: WorkStatus | null
  readonly mine: boolean
  readonly q: string
}

interface Texts {
  readonly search: string
  readonly anyStatus: string
  readonly status: string
  readonly mine: string
  readonly clear: string
}

interface Props<Status extends WorkStatus> {
  texts: Texts
  statuses: readonly Status[]
  filters: CommonFilters
  isFiltered: boolean
  onSearch: (q: string) => void
  onStatus: (status: Status | null) => void
  onMine: (mine: boolean) => void
  onClear: () => void
  /** The filters that only this list has. */
  children: ReactNode
}

/** Above a list: search, status, the list's own filters, “mine”, and a way back to everything. */
export function ListFilters<Status extends WorkStatus>(props: Readonly<Props<Status>>) {
  const { texts, statuses, filters, isFiltered, children } = props
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <DelayedSearch
        label={texts.search}
        className="col-span-2 sm:w-64"
        value={filters.q}
        onChange={props.onSearch}
      />
      <FilterSelect
        any={texts.anyStatus}
        label={texts.status}
        options={statuses.map((key) => ({ key, label: strings.status[key] }))}
        value={filters.status}
        onChange={(key) => props.onStatus(statuses.find((status) => status === key) ?? null)}
      />
      {children}
      <Checkbox isSelected={filters.mine} onChange={props.onMine} className="px-1">
        {texts.mine}
      </Checkbox>
      {isFiltered ? (
        <Button variant="quiet" size="sm" onPress={props.onClear} className="justify-self-start">
          {texts.clear}
        </Button>
      ) : null}
    </div>
  )
}
