import { act, render } from '@testing-library/react'
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { useScrollPlace } from '@/app/use-scroll-place'

/** happy-dom lays nothing out: the page is as long as the test says. */
let longest = Infinity
let grow: () => void = () => undefined

class FakeObserver {
  constructor(told: () => void) {
    grow = told
  }
  observe(): void {
    expect(grow).toBeTypeOf('function')
  }
  disconnect(): void {
    grow = () => undefined
  }
}

function scrollTo(top: number): void {
  Object.defineProperty(globalThis, 'scrollY', {
    value: Math.min(top, longest),
    configurable: true,
  })
  globalThis.dispatchEvent(new Event('scroll'))
}

beforeEach(() => {
  longest = Infinity
  sessionStorage.clear()
  vi.stubGlobal('scrollTo', (_left: number, top: number) => scrollTo(top))
  vi.stubGlobal('ResizeObserver', FakeObserver)
  scrollTo(0)
})

function Frame() {
  useScrollPlace()
  return <Outlet />
}

function open() {
  const children = ['/', '/rows', '/run'].map((path) => ({ path, element: null }))
  const router = createMemoryRouter([{ element: <Frame />, children }], {
    initialEntries: ['/rows'],
  })
  render(<RouterProvider router={router} />)
  const go = (to: string | number, replace = false) =>
    act(() => (typeof to === 'number' ? router.navigate(to) : router.navigate(to, { replace })))
  return go
}

describe('the place on a page', () => {
  it('is found again on the way back, and forward', async () => {
    const go = open()
    scrollTo(900)
    await go('/run')
    expect(scrollY).toBe(0)
    scrollTo(70)
    await go(-1)
    expect(scrollY).toBe(900)
    await go(1)
    expect(scrollY).toBe(70)
  })

  it('is reached once the page has become long enough', async () => {
    const go = open()
    scrollTo(900)
    await go('/run')
    longest = 200
    await go(-1)
    expect(scrollY).toBe(200)
    longest = 5_000
    act(() => grow())
    expect(scrollY).toBe(900)
  })

  it('is left to a reader who moves before that', async () => {
    const go = open()
    scrollTo(900)
    await go('/run')
    longest = 200
    await go(-1)
    globalThis.dispatchEvent(new Event('wheel'))
    longest = 5_000
    act(() => grow())
    expect(scrollY).toBe(200)
  })

  it('stays when a filter replaces the address, and begins anew on another page', async () => {
    const go = open()
    scrollTo(900)
    await go('/rows?arm=a', true)
    expect(scrollY).toBe(900)
    await go('/rows?task=3')
    expect(scrollY).toBe(0)
    await go(-1)
    expect(scrollY).toBe(900)
  })

  it('survives a reload', async () => {
    const go = open()
    scrollTo(900)
    await go('/run')
    globalThis.dispatchEvent(new Event('pagehide'))
    const kept = JSON.parse(sessionStorage.getItem('mas-studio-scroll') ?? '[]') as unknown[]
    expect(kept).toContainEqual([expect.any(String), 900])
  })
})
