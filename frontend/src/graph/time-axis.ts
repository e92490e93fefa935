/** A time axis with round steps. All values are seconds. */
export interface Tick {
  readonly at: number
  readonly label: string
}

const STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
  1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
]

/** "1 min 30 s" needs more room than "30 s". */
const WIDE_LABELS = 0.6

/** From 0 to at most `duration`, at most `most` steps. */
export function timeTicks(duration: number, most: number): Tick[] {
  const span = Number.isFinite(duration) && duration > 0 ? duration : 1
  const room = span > 60 ? most * WIDE_LABELS : most
  const step = STEPS.find((candidate) => span / candidate <= room) ?? Math.ceil(span / room)
  const count = Math.floor(span / step + 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = Number((index * step).toFixed(6))
    return { at, label: tickLabel(at, step) }
  })
}

function tickLabel(at: number, step: number): string {
  if (at === 0) return '0'
  if (step < 1 && at < 1) return `${Math.round(at * 1_000)} ms`
  if (step < 60 && at < 60) return `${Number(at.toFixed(3))} s`
  const minutes = Math.floor(at / 60)
  const seconds = Math.round(at % 60)
  if (minutes < 60) return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`
  const rest = minutes % 60
  const hours = Math.floor(minutes / 60)
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}
