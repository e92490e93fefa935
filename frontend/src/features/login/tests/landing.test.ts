import { describe, expect, it } from 'vitest'

import { landing } from '@/features/login/landing'

describe('landing', () => {
  it.each([
    ['/runs?status=failed', '/runs?status=failed'],
    ['/runs/1#trace', '/runs/1#trace'],
    [null, '/'],
    ['', '/'],
    ['/login?next=/login', '/'],
    ['https://evil.example/', '/'],
    ['//evil.example/runs', '/'],
    ['/\\evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['http://[', '/'],
  ])('%s leads to %s', (next, expected) => expect(landing(next)).toBe(expected))
})
