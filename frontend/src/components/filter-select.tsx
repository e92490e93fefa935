import { Select, type Option } from './select'

const ANY = '*'

interface Props {
  /** The word for no filter. */
  any: string
  label: string
  options: readonly Option[]
  value: string | null
  onChange: (key: string | null) => void
  className?: string
}

/** A select whose first option takes the filter away. */
export function FilterSelect(props: Readonly<Props>) {
  const { any, label, options, value, onChange, className = 'sm:w-36' } = props
  return (
    <Select
      label={label}
      labelHidden
      className={className}
      options={[{ key: ANY, label: any }, ...withUnknown(options, value)]}
      value={value ?? ANY}
      onChange={(key) => onChange(key === ANY ? null : key)}
    />
  )
}

/** A filter in the address for something that is gone stays visible, so that it can be removed. */
const withUnknown = (options: readonly Option[], value: string | null): readonly Option[] =>
  value === null || options.some(({ key }) => key === value)
    ? options
    : [...options, { key: value, label: value }]
