import { act, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { MetricChart } from '@/features/training/charts'
import { metricsBy } from '@/features/training/metrics'
import type { Range } from '@/components/chart/zoom'

let width = 600
let measured: (() => void)[] = []

/** A canvas that takes every stroke and draws none: what is tested is which steps are in sight. */
function canvas(): unknown {
  const known: Record<string | symbol, unknown> = { measureText: () => ({ width: 8 }) }
  return new Proxy(known, {
    get: (target, key) => (key in target ? target[key] : () => undefined),
    set: (target, key, value) => {
      target[key] = value
      return true
    },
  })
}

beforeEach(() => {
  width = 600
  measured = []
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(() => canvas() as never)
  vi.stubGlobal(
    'Path2D',
    class {
      moveTo = vi.fn()
      lineTo = vi.fn()
      arc = vi.fn()
      rect = vi.fn()
      addPath = vi.fn()
      closePath = vi.fn()
    },
  )
  vi.stubGlobal(
    'ResizeObserver',
    class {
      disconnect = vi.fn()
      constructor(private readonly told: (entries: unknown[]) => void) {}
      observe(): void {
        const tell = (): void => this.told([{ contentRect: { width } }])
        measured.push(tell)
        tell()
      }
    },
  )
})
const steps = Array.from({ length: 101 }, (_, place) => place)
const line = {
  id: 'a',
  name: 'A',
  series: 0,
  values: steps.map((step) => step / 100),
  smooth: steps,
}
const { of: metric } = metricsBy([])
const zooms: (Range | null)[] = []

function Chart({ isSmoothed = false, count = 101, selected = 50 }) {
  const [zoom, setZoom] = useState<Range | null>(null)
  zooms.push(zoom)
  const cut = { ...line, values: line.values.slice(0, count), smooth: line.smooth.slice(0, count) }
  return (
    <MetricChart
      steps={steps.slice(0, count)}
      lines={[cut]}
      metric={metric('reward')}
      height={200}
      isSmoothed={isSmoothed}
      selected={selected}
      onPick={vi.fn()}
      zoom={zoom}
      onZoom={setZoom}
    />
  )
}

const drawn = (): Promise<void> =>
  act(() => new Promise<void>((resolve) => void setTimeout(resolve, 20)))
const press = async (key: string): Promise<void> => {
  fireEvent.keyDown(screen.getByRole('slider'), { key })
  await drawn()
}

describe('the zoom of a chart', () => {
  it('is changed by keys, about the step that is open', async () => {
    render(<Chart />)
    await drawn()
    await press('+')
    expect(zooms.at(-1)).toEqual({ min: 25, max: 75 })
    await press('+')
    expect(zooms.at(-1)).toEqual({ min: 37.5, max: 62.5 })
    await press('-')
    expect(zooms.at(-1)).toEqual({ min: 25, max: 75 })
    await press('0')
    expect(zooms.at(-1)).toBeNull()
  })

  it('stays when it is smoothed, when the window changes, and when a step comes', async () => {
    const { rerender } = render(<Chart count={100} />)
    await drawn()
    await press('+')
    const zoom = zooms.at(-1)
    expect(zoom).not.toBeNull()
    rerender(<Chart count={100} isSmoothed />)
    await drawn()
    expect(zooms.at(-1)).toEqual(zoom)
    width = 320
    act(() => {
      for (const tell of measured) tell()
    })
    await drawn()
    rerender(<Chart count={101} isSmoothed />)
    await drawn()
    expect(zooms.at(-1)).toEqual(zoom)
  })

  it('grows with the steps as long as nobody has changed it', async () => {
    const { rerender } = render(<Chart count={100} />)
    await drawn()
    rerender(<Chart count={101} />)
    await drawn()
    expect(zooms.at(-1)).toBeNull()
  })
})

it('without a step chosen the newest value is told, also of a metric that few steps tell', async () => {
  const sparse = { ...line, values: [0.25, 0.5, null] }
  render(
    <MetricChart
      steps={[1, 2, 3]}
      lines={[sparse]}
      metric={metric('held_out_reward')}
      height={200}
      isSmoothed={false}
      selected={null}
      onPick={vi.fn()}
      zoom={null}
      onZoom={vi.fn()}
    />,
  )
  await drawn()
  expect(screen.getByRole('slider').getAttribute('aria-valuetext')).toBe('step 2: A 0.5')
})
