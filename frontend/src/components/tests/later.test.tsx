import { act, render } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { later } from '@/components/later'

const Part = ({ name }: Readonly<{ name: string }>) => <p>Part of {name}</p>

beforeEach(() => void vi.useFakeTimers())
const settle = (milliseconds = 0) => act(() => vi.advanceTimersByTimeAsync(milliseconds))

describe('a part that is fetched later', () => {
  it('says that it works, then shows itself', async () => {
    const Shown = later(async () => Promise.resolve(Part), { waiting: () => <p>Waiting</p> })
    const page = render(<Shown name="a run" />)
    expect(page.getByText('Waiting')).toBeTruthy()
    await settle()
    expect(page.getByText('Part of a run')).toBeTruthy()
  })

  it('is there at once when it was prepared', async () => {
    const load = vi.fn(async () => Promise.resolve(Part))
    const Shown = later(load)
    await Shown.prepare()
    await settle()
    expect(render(<Shown name="a run" />).getByText('Part of a run')).toBeTruthy()
    expect(load).toHaveBeenCalledOnce()
  })

  it('is fetched again while the network is away', async () => {
    const load = vi.fn(async () => Promise.resolve(Part))
    load.mockRejectedValueOnce(new TypeError('offline')).mockRejectedValueOnce(new TypeError('off'))
    const Shown = later(load)
    const page = render(<Shown name="a run" />)
    await settle(3_000)
    expect(page.getByText('Part of a run')).toBeTruthy()
    expect(load).toHaveBeenCalledTimes(3)
  })

  it('ends in a way out, and what is around it stays', async () => {
    const load = vi.fn(async () => Promise.reject<typeof Part>(new TypeError('gone')))
    const Shown = later(load)
    const page = render(
      <div>
        <h1>The run</h1>
        <Shown name="a run" />
      </div>,
    )
    await settle(120_000)
    expect(page.getByText('The run')).toBeTruthy()
    expect(page.getByRole('alert').textContent).toContain('could not be fetched')
    expect(page.getByRole('button', { name: 'Reload' })).toBeTruthy()
    expect(load).toHaveBeenCalledTimes(5)
  })
})
