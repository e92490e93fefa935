/** Steps that belong together, as areas behind the lines, each with its name where there is room. */
import type UPlot from 'uplot'

import { seriesLook } from '@/lib/series'

export interface Area {
  /** Its first and its last step. */
  readonly from: number
  readonly to: number
  readonly name: string
  /** Which colour. */
  readonly series: number
}

const STRENGTH = 9
/** Pixels beside its name. */
const SPARE = 6

export const areaColor = (series: number): string =>
  `color-mix(in srgb, ${seriesLook(series).color} ${STRENGTH}%, transparent)`

export function drawAreas(
  plot: UPlot,
  areas: readonly Area[],
  color: (token: string) => string,
  font: string,
): void {
  const { left, top, width, height } = plot.bbox
  const { ctx } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, top, width, height)
  ctx.clip()
  ctx.font = font.replace(/^[\d.]+/, (size) => String(Number(size) * devicePixelRatio))
  ctx.textBaseline = 'top'
  for (const { from, to, name, series } of areas) {
    // A step reaches half way to its neighbours.
    const start = Math.max(left, plot.valToPos(from - 0.5, 'x', true))
    const end = Math.min(left + width, plot.valToPos(to + 0.5, 'x', true))
    if (end <= start) continue
    ctx.fillStyle = color(areaColor(series))
    ctx.fillRect(start, top, end - start, height)
    const spare = SPARE * devicePixelRatio
    if (ctx.measureText(name).width + 2 * spare > end - start) continue
    ctx.fillStyle = color('var(--ink-3)')
    ctx.fillText(name, start + spare, top + spare / 2)
  }
  ctx.restore()
}
