import { UNTRAINED, useCheckpoints, type Checkpoint } from '@/lib/api/checkpoints'
import { strings } from '@/strings/studio'

import { Badge } from './badge'
import { Select, type Option } from './select'

const DEFAULT = '*'
const { checkpoints: text } = strings
const AS_IT_IS: Option = { key: UNTRAINED, label: text.untrained, description: text.asItIs }

interface Props {
  method: string | null
  learns: boolean
  value: string | null
  onChange: (name: string | null) => void
  label?: string
  /** What no choice means here. */
  noneLabel?: string
  /** Whether the method can be used as it is before any training, too. */
  offersUntrained?: boolean
  error?: string | undefined
  className?: string
}

/** The weights that a method which learns uses; null leaves the choice to the studio. */
export function CheckpointSelect(props: Readonly<Props>) {
  const { method, learns, value, onChange, error, className } = props
  const { label = text.label, noneLabel = text.byDefault, offersUntrained = false } = props
  const known = useCheckpoints(method, learns)
  const usual = known.find((each) => each.is_default)?.name ?? text.noDefault
  const options: Option[] = [
    { key: DEFAULT, label: noneLabel, description: offersUntrained ? usual : '' },
    ...known.map(optionOf),
    ...(offersUntrained && known.every(({ trained }) => trained) ? [AS_IT_IS] : []),
  ]
  const isGone = value !== null && !options.some(({ key }) => key === value)
  return (
    <Select
      label={label}
      options={isGone ? [...options, { key: value, label: value }] : options}
      value={learns ? (value ?? DEFAULT) : null}
      onChange={(key) => onChange(key === DEFAULT ? null : key)}
      isDisabled={!learns}
      placeholder={text.learnsNothing}
      error={error}
      className={className}
    />
  )
}

function optionOf({ name, label, trained, is_default, step }: Checkpoint): Option {
  const about = [
    label !== name ? label : '',
    trained ? (step > 0 ? text.atStep(step) : '') : text.untrained,
  ]
  return {
    key: name,
    label: name,
    description: about.filter(Boolean).join(' · '),
    mark: is_default ? <Badge tone="accent">{strings.common.default}</Badge> : null,
  }
}
