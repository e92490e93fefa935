import { queryOptions, useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'

import { buttonClass } from '@/components/button-class'
import { Checkbox } from '@/components/checkbox'
import { DelayedSearch } from '@/components/delayed-search'
import { FilterSelect } from '@/components/filter-select'
import { NumberField } from '@/components/number-field'
import { SuggestBox } from '@/components/suggest-box'
import { checkpointsQuery } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { strings } from '@/strings/studio'

import { LABEL_CHARS, RARER, ROLE_CHARS, SCORES, type RunFilters } from './filters'

const text = strings.runs.moreFilters
const NONE: readonly string[] = []

interface Props {
  filters: RunFilters
  onChange: (part: Partial<RunFilters>) => void
}

/** What a run came to, what it used and what people noted, behind one button that counts them. */
export function MoreFilters({ filters, onChange }: Readonly<Props>) {
  const count = RARER.filter((name) => filters[name]).length
  return (
    <DialogTrigger>
      <Button className={buttonClass({ size: 'sm' })}>
        <SlidersHorizontal size={14} aria-hidden />
        {text.open}
        {count > 0 ? <span className="text-ink-3">{count}</span> : null}
      </Button>
      <Popover className="w-80 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-surface-1 shadow-float">
        <Dialog aria-label={text.open} className="flex flex-col gap-3 p-3 outline-none">
          <Fields filters={filters} onChange={onChange} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

function Fields({ filters, onChange }: Readonly<Props>) {
  const labels = useQuery(labelsQuery).data ?? NONE
  const checkpoints = useQuery(checkpointsQuery(null)).data ?? []
  return (
    <>
      <div className="grid grid-cols-2 gap-2">
        <YesOrNo
          words={[text.verdict, text.anyVerdict, text.right, text.wrong]}
          value={filters.correct}
          onChange={(correct) => onChange({ correct })}
        />
        <YesOrNo
          words={[text.notes, text.anyNotes, text.noted, text.notNoted]}
          value={filters.annotated}
          onChange={(annotated) => onChange({ annotated })}
        />
      </div>
      <FilterSelect
        any={text.anyCheckpoint}
        label={text.checkpoint}
        className=""
        options={checkpoints.map(({ name }) => ({ key: name, label: name }))}
        value={filters.checkpoint}
        onChange={(checkpoint) => onChange({ checkpoint })}
      />
      <DelayedSearch
        label={text.role}
        value={filters.role ?? ''}
        maxLength={ROLE_CHARS}
        onChange={(role) => onChange({ role: role || null })}
      />
      <SuggestBox
        label={text.label}
        all={text.allLabels}
        none={text.noLabel}
        suggestions={labels}
        value={filters.label ?? ''}
        maxLength={LABEL_CHARS}
        onChange={(label) => onChange({ label: label || null })}
      />
      <FilterSelect
        any={text.anyScore}
        label={text.score}
        className=""
        options={SCORES.map((each) => ({ key: String(each), label: text.scoreFrom(each) }))}
        value={filters.min_score}
        onChange={(min_score) => onChange({ min_score })}
      />
      <div className="grid grid-cols-2 gap-2">
        <NumberField
          label={text.leastCost}
          live
          minimum={0}
          value={filters.min_cost ? Number(filters.min_cost) : null}
          onChange={(cost) => onChange({ min_cost: cost === null ? null : String(cost) })}
        />
        <NumberField
          label={text.mostCost}
          live
          minimum={0}
          value={filters.max_cost ? Number(filters.max_cost) : null}
          onChange={(cost) => onChange({ max_cost: cost === null ? null : String(cost) })}
        />
      </div>
      <Checkbox
        isSelected={filters.answers !== null}
        onChange={(wanted) => onChange({ answers: wanted ? 'true' : null })}
      >
        {text.answers}
      </Checkbox>
    </>
  )
}

interface YesOrNoProps {
  words: readonly [label: string, any: string, yes: string, no: string]
  value: string | null
  onChange: (value: string | null) => void
}

function YesOrNo({ words, value, onChange }: Readonly<YesOrNoProps>) {
  const [label, any, yes, no] = words
  const options = [
    { key: 'true', label: yes },
    { key: 'false', label: no },
  ]
  return (
    <FilterSelect
      any={any}
      label={label}
      className=""
      options={options}
      value={value}
      onChange={onChange}
    />
  )
}

/** The labels that people use, on most runs first. Under `runs`, so that a new one is asked for. */
const labelsQuery = queryOptions({
  queryKey: ['runs', 'labels'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/runs/labels', { signal })),
  select: (labels) => labels.map(({ name }) => name),
})
