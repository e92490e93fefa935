import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'

// What is waited for comes at once on a quiet machine; a busy one may take its time.
configure({ asyncUtilTimeout: 20_000 })

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
