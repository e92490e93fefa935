import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'

import { queries } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { labelClass } from './field-parts'
import { MenuChoice } from './menu-choice'
import { Select, type Option } from './select'

const NONE = '*'
const { endpoints: words } = strings.ask

interface Common {
  label: string
  help: string
  error: string | undefined
}

interface OneProps extends Common {
  value: string | null
  onChange: (key: string | null) => void
}

/** One endpoint of those that there are; null is that of the run or training. */
export function EndpointSelect({ value, onChange, ...rest }: Readonly<OneProps>) {
  const options = useOptions(value === null ? [] : [value])
  return (
    <Select
      label={rest.label}
      help={rest.help}
      options={[{ key: NONE, label: words.own }, ...options]}
      value={value ?? NONE}
      onChange={(key) => onChange(key === NONE ? null : key)}
      error={rest.error}
    />
  )
}

interface SeveralProps extends Common {
  value: readonly string[]
  maximum: number | undefined
  onChange: (keys: readonly string[]) => void
}

export function EndpointsSelect(props: Readonly<SeveralProps>) {
  const { label, help, error, value, maximum, onChange } = props
  const options = useOptions(value)
  const id = useId()
  const names = options.filter(({ key }) => value.includes(key)).map((option) => option.label)
  return (
    <div role="group" aria-labelledby={id} className="flex min-w-0 flex-col items-start gap-1">
      <span id={id} className={labelClass}>
        {label}
      </span>
      <MenuChoice
        label={words.choose}
        choices={options}
        chosen={value}
        empty={words.none}
        onChange={(keys) => onChange(maximum === undefined ? keys : keys.slice(0, maximum))}
      />
      {names.length > 0 ? <span className="text-xs">{names.join(', ')}</span> : null}
      {error === undefined ? (
        <span className="text-xs text-ink-3">{help}</span>
      ) : (
        <span role="alert" className="text-xs font-medium text-bad">
          {error}
        </span>
      )}
    </div>
  )
}

/** Enabled ones, and those that are chosen, also where they are gone: so they can be taken back. */
function useOptions(chosen: readonly string[]): Option[] {
  const known = useQuery(queries.endpoints).data ?? []
  const there = known.filter(({ key, enabled }) => enabled !== false || chosen.includes(key))
  const gone = chosen.filter((key) => !known.some((endpoint) => endpoint.key === key))
  return [
    ...there.map(({ key, name, model }) => ({ key, label: name || key, description: model })),
    ...gone.map((key) => ({ key, label: key, description: words.gone })),
  ]
}
