import {
  Label,
  Slider as AriaSlider,
  SliderOutput,
  SliderThumb,
  SliderTrack,
} from 'react-aria-components'

import { cx } from './cx'
import { labelClass } from './field-parts'

interface Props {
  label: string
  value: number
  onChange: (value: number) => void
  minimum: number
  maximum: number
  step: number
  className?: string
}

export function Slider(props: Readonly<Props>) {
  const { label, value, onChange, minimum, maximum, step, className } = props
  return (
    <AriaSlider
      value={value}
      onChange={(next) => onChange(next)}
      minValue={minimum}
      maxValue={maximum}
      step={step}
      className={cx('flex items-center gap-2.5', className)}
    >
      <Label className={labelClass}>{label}</Label>
      <SliderTrack className="relative h-7 w-28">
        <span
          aria-hidden
          className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 rounded-full bg-surface-3"
        />
        <span
          aria-hidden
          className="absolute top-1/2 left-0 h-1 -translate-y-1/2 rounded-full bg-accent"
          style={{ width: `${((value - minimum) / (maximum - minimum)) * 100}%` }}
        />
        <SliderThumb className="top-1/2 size-4 rounded-full border-2 border-accent bg-surface-1 data-[focus-visible]:outline-2 data-[focus-visible]:outline-offset-2 data-[focus-visible]:outline-accent" />
      </SliderTrack>
      <SliderOutput className="w-8 text-xs text-ink-2" />
    </AriaSlider>
  )
}
