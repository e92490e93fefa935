import { describe, expect, it } from 'vitest'

import { ownPage, pageUrl, safeUrl } from '@/lib/safe-url'

describe('safeUrl', () => {
  it.each(['https://example.org/a?b=c', 'http://example.org/', 'mailto:someone@example.org'])(
    'lets %s through',
    (url) => expect(safeUrl(url)).toBe(url),
  )

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.org/1',
    '/api/auth/logout',
    '//example.org',
    '#',
    '',
  ])('refuses %j', (url) => expect(safeUrl(url)).toBeNull())
})

describe('pageUrl', () => {
  it('has the host of a page, whatever stands before it', () =>
    expect(pageUrl('https://bank.example@evil.example/x')?.host).toBe('evil.example'))

  it.each(['mailto:someone@example.org', 'javascript:alert(1)', 'table.csv', ''])(
    'refuses %j',
    (address) => expect(pageUrl(address)).toBeNull(),
  )
})

describe('ownPage', () => {
  it.each(['/corpus/wiki/Rhine', '/corpus/wiki/Rhine%20(river)?a=1#b', '/corpus//evil.example'])(
    'knows %s',
    (path) => expect(ownPage(path)).toBe(path),
  )

  it.each([
    '/corpus/../api/auth/logout',
    '/corpus/%2e%2e/api/auth/logout',
    String.raw`/corpus/..\api`,
    '/corpora/x',
    '/api/auth/logout',
    '//evil.example/corpus/x',
    'https://evil.example/corpus/x',
    'javascript:alert(1)',
    '',
  ])('refuses %j', (address) => expect(ownPage(address)).toBeNull())
})
