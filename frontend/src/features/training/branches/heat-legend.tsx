import { Button } from '@/components/button'
import { text } from '@/strings/branches'

import { HEATS, legendOf, shadeOf, type Heat, type Scale } from './heat'

const { heat: words } = text
const STEPS = [-1, -0.6, -0.3, 0, 0.3, 0.6, 1]

interface Props {
  scale: Scale
  hasRatio: boolean
  onChange: (heat: Heat) => void
}

/** Chooses what shades the tokens, and says what a shade means. */
export function HeatLegend({ scale, hasRatio, onChange }: Readonly<Props>) {
  const [low, middle, high] = legendOf(scale)
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1.5 text-xs text-ink-2">
      <span role="group" aria-label={words.label} className="flex flex-wrap items-center gap-1">
        <span aria-hidden className="pr-1 text-ink-3">
          {words.label}
        </span>
        {HEATS.map((heat) => (
          <Button
            key={heat}
            size="sm"
            variant={scale.heat === heat ? 'secondary' : 'quiet'}
            aria-pressed={scale.heat === heat}
            isDisabled={heat === 'ratio' && !hasRatio}
            onPress={() => onChange(heat)}
          >
            {words.kinds[heat]}
          </Button>
        ))}
      </span>
      <span className="flex flex-wrap items-center gap-1.5">
        {low}
        <span aria-hidden className="flex">
          {STEPS.map((level) => {
            const { className, color } = shadeOf(level)
            return (
              <span
                key={level}
                className={`h-4 w-4 border-b-2 border-ink-3 ${className}`}
                style={{ backgroundColor: color }}
              />
            )
          })}
        </span>
        {high}
        <span className="text-ink-3">
          ({words.up} {middle}, {words.down})
        </span>
      </span>
      <span className="basis-full text-ink-3">
        {words.helps[scale.heat]} {hasRatio ? '' : words.noRatio} {words.hint}
      </span>
    </div>
  )
}
