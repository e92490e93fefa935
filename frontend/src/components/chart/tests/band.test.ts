import { describe, expect, it } from 'vitest'

import { bandOf, valueAt } from '@/components/chart/band'
import { bandHelp, chartData, chartOptions } from '@/components/chart/chart-options'
import { formatMetric } from '@/lib/format'

const points = [null, { interval: null }, { interval: [0.4, 0.8] }]
const band = bandOf(points)
const line = { id: 'a', name: 'A', series: 1, values: [null, 0.5, 0.6], smooth: [], band }

const wanted = {
  width: 300,
  height: 200,
  isSmoothed: false,
  faint: 0.3,
  area: 14,
  stepFormat: String,
  sync: 'x',
  color: (token: string) => token,
  rangeNum: (low: number, high: number): [number, number] => [low - 1, high + 1],
  onCursor: () => undefined,
  onPick: () => undefined,
  onZoom: () => undefined,
  areas: () => [],
  selected: () => null,
}
const quantity = {
  key: 'reward',
  isShare: false,
  hasUnit: false,
  format: formatMetric,
  axisFormat: formatMetric,
}

describe('the axis of values', () => {
  it('stays short where all are 0, as the costs of a free endpoint are', () => {
    const rangeOf = (flat?: number) => {
      const cost = flat === undefined ? quantity : { ...quantity, flat }
      return chartOptions({ ...wanted, lines: [line], quantity: cost }).scales?.y?.range
    }
    const ask = (range: unknown, low: number, high: number) =>
      (range as (plot: null, low: number, high: number) => unknown)(null, low, high)
    expect(ask(rangeOf(0.01), 0, 0)).toEqual([0, 0.01])
    expect(ask(rangeOf(), 0, 0)).toEqual([0, 1])
    expect(ask(rangeOf(0.01), 0, 8)).toEqual([-1, 9])
  })
})

describe('the interval of a line', () => {
  it('is told where it is known', () => {
    expect(band).toEqual({ low: [null, null, 0.4], high: [null, null, 0.8] })
    expect(valueAt(line, 1, formatMetric)).toEqual(['0.5'])
    expect(valueAt(line, 2, formatMetric)).toEqual(['0.6', '(0.4 to 0.8)'])
    expect(valueAt({ values: [1] }, 0, formatMetric)).toEqual(['1'])
  })

  it('is an area behind every line, in the colour of its own', () => {
    const plain = { ...line, id: 'b', series: 0, band: null }
    const lines = [plain, line]
    expect(chartData([1, 2, 3], lines, false)).toEqual([
      [1, 2, 3],
      band.high,
      band.low,
      plain.values,
      line.values,
    ])
    const options = chartOptions({ ...wanted, lines, quantity })
    expect(options.series.map(({ label }) => label)).toEqual([
      undefined,
      undefined,
      undefined,
      'A',
      'A',
    ])
    // Both bounds are drawn, in that colour, so that areas over each other stay apart.
    expect(options.series[1]).toMatchObject({ stroke: 'var(--family-law)', width: 1 })
    expect(options.bands).toEqual([
      { series: [1, 2], fill: expect.stringContaining('var(--family-law) 14%') as unknown },
    ])
  })

  it('is told and not drawn where areas of many lines would hide whose they are', () => {
    const two = [line, { ...line, id: 'b', series: 0 }]
    expect(chartData([1, 2, 3], two, false)).toHaveLength(1 + 3 * 2)
    expect(bandHelp(two)).toMatch(/^The area is/)
    const three = [...two, { ...line, id: 'c', series: 2 }]
    expect(chartData([1, 2, 3], three, false)).toHaveLength(1 + 3)
    expect(bandHelp(three)).toMatch(/beside it.*at most 2 lines/)
    expect(bandHelp([{ ...line, band: null }])).toBeNull()
  })
})
