import type { ReactNode } from 'react'

import { strings } from '@/strings/studio'
import type { CommonFilter } from '@/lib/use-list-filters'

import type { WorkStatus } from './badge'
import { Button } from './button'
import { Checkbox } from './checkbox'
import { DelayedSearch } from './delayed-search'
import { FilterSelect } from './filter-select'
import { SavedViews, type ViewPage } from './saved-views'

interface Texts {
  readonly search: string
  readonly anyStatus: string
  readonly status: string
  readonly mine: string
  readonly clear: string
}

interface Props<Status extends WorkStatus> {
  /** Whose saved views are offered. */
  page: ViewPage
  texts: Texts
  list: CommonFilter<Status>
  /** The filters that only this list has. */
  children: ReactNode
}

/** Above a list: search, status, the list's own filters, “mine”, and a way back to everything. */
export function ListFilters<Status extends WorkStatus>(props: Readonly<Props<Status>>) {
  const { page, texts, list, children } = props
  const { statuses, filters, change } = list
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <DelayedSearch
        label={texts.search}
        className="col-span-2 sm:w-68"
        value={filters.q}
        onChange={(q) => change({ q })}
      />
      <FilterSelect
        any={texts.anyStatus}
        label={texts.status}
        options={statuses.map((key) => ({ key, label: strings.status[key] }))}
        value={filters.status}
        onChange={(key) => change({ status: statuses.find((known) => known === key) ?? null })}
      />
      {children}
      <Checkbox isSelected={filters.mine} onChange={(mine) => change({ mine })} className="px-1">
        {texts.mine}
      </Checkbox>
      <SavedViews page={page} list={list} />
      {list.isFiltered ? (
        <Button variant="quiet" size="sm" onPress={list.clear} className="justify-self-start">
          {texts.clear}
        </Button>
      ) : null}
    </div>
  )
}
