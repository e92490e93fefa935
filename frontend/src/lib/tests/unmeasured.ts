import { vi } from 'vitest'

/** Nothing is measured, so no chart is drawn: what is tested are figures and tables. */
export function measureNothing(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = vi.fn()
      disconnect = vi.fn()
    },
  )
}
