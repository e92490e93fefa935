import { describe, expect, it } from 'vitest'

import { isServerPage, landing } from '@/features/login/landing'

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

describe('isServerPage', () => {
  it.each([
    ['/admin/roles/role/', true],
    ['/api/docs', true],
    ['/administration', false],
    ['/runs?next=/admin/', false],
    ['/', false],
  ])('%s: %s', (path, expected) => expect(isServerPage(path)).toBe(expected))
})
