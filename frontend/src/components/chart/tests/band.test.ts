import { describe, expect, it } from 'vitest'

import { bandOf, valueAt } from '@/components/chart/band'
import { bandHelp, chartData, chartOptions } from '@/components/chart/chart-options'
import { formatMetric } from '@/lib/format'

const points = [null, { interval: null }, { interval: [0.4, 0.8] }]
const band = bandOf(points)
const line = { id: 'a', name: 'A', series: 1, values: [null, 0.5, 0.6], smooth: [], band }

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
    const options = chartOptions({
      width: 300,
      height: 200,
      lines,
      quantity: {
        key: 'reward',
        isShare: false,
        hasUnit: false,
        format: formatMetric,
        axisFormat: formatMetric,
      },
      isSmoothed: false,
      faint: 0.3,
      area: 14,
      stepFormat: String,
      sync: 'x',
      color: (token) => token,
      onCursor: () => undefined,
      onPick: () => undefined,
      onZoom: () => undefined,
      selected: () => null,
    })
    expect(options.series.map(({ label }) => label)).toEqual([
      undefined,
      undefined,
      undefined,
      'A',
      'A',
    ])
    expect(options.bands).toEqual([
      { series: [1, 2], fill: expect.stringContaining('var(--family-law) 14%') as unknown },
    ])
  })

  it('is told and not drawn where areas of many lines would hide whose they are', () => {
    const four = Array.from({ length: 4 }, (_, series) => ({ ...line, id: String(series), series }))
    expect(chartData([1, 2, 3], four, false)).toHaveLength(1 + 3 * 4)
    expect(bandHelp(four)).toMatch(/^The area is/)
    const five = [...four, line]
    expect(chartData([1, 2, 3], five, false)).toHaveLength(1 + 5)
    expect(bandHelp(five)).toMatch(/stands beside it.*at most 4 lines/)
    expect(bandHelp([{ ...line, band: null }])).toBeNull()
  })
})
