import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Disclosure } from '@/components/disclosure'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'

import { text } from '@/strings/datasets'
import type { FileColumn } from './file-columns'
import type { Benchmark } from './use-datasets'

const { importing } = text
const SAME = '*'
/** Without one of these most answers cannot be judged, so they stand with what is required. */
const JUDGED_BY: ReadonlySet<string> = new Set(['reference', 'answer', 'solution'])

interface Props {
  benchmark: Benchmark
  /** Of the file, where they are known: then they are chosen, else typed. */
  columns: readonly FileColumn[] | null
  mapping: Readonly<Record<string, string>>
  onChange: (mapping: Record<string, string>) => void
  error: string | undefined
  /** What the last check said: columns that it names are shown. */
  said: readonly string[]
  /** Asks the server for the columns; null: there is no need, or nothing to read yet. */
  onRead: (() => void) | null
  isReading: boolean
}

/** Which column of the file holds what. */
export function MappingFields(props: Readonly<Props>) {
  const { benchmark, error, said, onRead, isReading } = props
  const first = ({ name, required }: Benchmark['columns'][number]): boolean =>
    required || JUDGED_BY.has(name)
  const needed = benchmark.columns.filter(first)
  const others = benchmark.columns.filter((column) => !first(column))
  const isNamed = others.some(({ name }) => said.some((each) => each.includes(`“${name}”`)))
  if (benchmark.columns.length === 0) return null
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-semibold">{importing.mapping}</legend>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-xs text-ink-3">{importing.mappingHelp}</p>
        {onRead ? (
          <Button size="sm" isPending={isReading} onPress={onRead}>
            {importing.readColumns}
          </Button>
        ) : null}
      </div>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Fields {...props} shown={needed.length > 0 ? needed : others} />
      </div>
      {needed.length > 0 && others.length > 0 ? (
        <Disclosure key={String(isNamed)} title={importing.moreColumns} defaultOpen={isNamed}>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            <Fields {...props} shown={others} />
          </div>
        </Disclosure>
      ) : null}
      {error ? <p className="text-xs font-medium text-bad">{error}</p> : null}
    </fieldset>
  )
}

/** The column that is read where none is chosen, as the server finds it. */
function found(columns: readonly FileColumn[], names: readonly string[]): string | undefined {
  const theirs = new Map(columns.map(({ name }) => [name.trim().toLowerCase(), name]))
  return names.map((name) => theirs.get(name.toLowerCase())).find((name) => name !== undefined)
}

function Fields(props: Readonly<Props & { shown: Benchmark['columns'] }>) {
  const { columns, mapping, onChange, shown } = props
  return shown.map(({ name, required, description, also }) => {
    const same = columns && found(columns, [name, ...also])
    const common = { label: name, help: description, value: mapping[name] ?? '' }
    return columns ? (
      <Select
        key={name}
        {...common}
        value={mapping[name] ?? SAME}
        onChange={(column) => onChange({ ...mapping, [name]: column === SAME ? '' : column })}
        options={[
          {
            key: SAME,
            label: same ? importing.sameName(same) : importing.noColumn,
            mark: required && !same ? <Needed /> : null,
          },
          ...columns.map((column) => ({
            key: column.name,
            label: column.name,
            ...(column.example ? { description: column.example } : {}),
          })),
        ]}
      />
    ) : (
      <TextField
        key={name}
        {...common}
        mono
        aside={required ? importing.required : undefined}
        placeholder={name}
        onChange={(column) => onChange({ ...mapping, [name]: column })}
      />
    )
  })
}

function Needed() {
  return <Badge tone="warn">{importing.required}</Badge>
}
