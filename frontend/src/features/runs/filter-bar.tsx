import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { SearchBox } from '@/components/search-box'
import { Select, type Option } from '@/components/select'
import { queries } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

import { STATUSES, type Filters } from './filters'

interface Props {
  filters: Filters
  change: (part: Partial<Filters>) => void
  clear: () => void
  isFiltered: boolean
}

const ANY = '*'

export function FilterBar({ filters, change, clear, isFiltered }: Readonly<Props>) {
  const [methods, endpoints, pools] = useQueries({
    queries: [queries.methods, queries.endpoints, queries.pools],
  })
  const named = (items: readonly { key: string; name: string }[] = []): Option[] =>
    items.map(({ key, name }) => ({ key, label: name || key }))
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <DelayedSearch value={filters.q} onChange={(q) => change({ q })} />
      <Filter
        any={strings.runs.anyStatus}
        label={strings.runs.columns.status}
        options={STATUSES.map((key) => ({ key, label: strings.status[key] }))}
        value={filters.status}
        onChange={(key) => change({ status: STATUSES.find((status) => status === key) ?? null })}
      />
      <Filter
        any={strings.runs.anyMethod}
        label={strings.ask.method}
        options={named(methods.data)}
        value={filters.method}
        onChange={(method) => change({ method })}
      />
      <Filter
        any={strings.runs.anyEndpoint}
        label={strings.ask.endpoint}
        options={named(endpoints.data)}
        value={filters.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <Filter
        any={strings.runs.anyPool}
        label={strings.ask.pool}
        options={named(pools.data)}
        value={filters.pool}
        onChange={(pool) => change({ pool })}
      />
      <Checkbox isSelected={filters.mine} onChange={(mine) => change({ mine })} className="px-1">
        {strings.runs.mine}
      </Checkbox>
      {isFiltered ? (
        <Button variant="quiet" size="sm" onPress={clear} className="justify-self-start">
          {strings.runs.clearFilters}
        </Button>
      ) : null}
    </div>
  )
}

interface FilterProps {
  any: string
  label: string
  options: Option[]
  value: string | null
  onChange: (key: string | null) => void
}

function Filter({ any, label, options, value, onChange }: Readonly<FilterProps>) {
  return (
    <Select
      label={label}
      labelHidden
      className="sm:w-36"
      options={[{ key: ANY, label: any }, ...withUnknown(options, value)]}
      value={value ?? ANY}
      onChange={(key) => onChange(key === ANY ? null : key)}
    />
  )
}

/** A filter in the address for something that is gone stays visible, so that it can be removed. */
const withUnknown = (options: Option[], value: string | null): Option[] =>
  value === null || options.some(({ key }) => key === value)
    ? options
    : [...options, { key: value, label: value }]

const TYPING_MS = 250

/** Asks when the typing rests, so that a word is one request. */
function DelayedSearch({
  value,
  onChange,
}: Readonly<{ value: string; onChange: (q: string) => void }>) {
  const [text, setText] = useState(value)
  const [outside, setOutside] = useState(value)
  if (outside !== value) {
    setOutside(value)
    setText(value)
  }
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => onChange(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <SearchBox
      label={strings.runs.search}
      value={text}
      onChange={setText}
      className="col-span-2 sm:w-64"
    />
  )
}
