import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import { HistoryDialog } from '@/features/endpoints/endpoints-page'
import type { Endpoint } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const change = (id: number, kind: string, changed_by: string | null, fields: unknown[]) => ({
  id,
  kind,
  changed_by,
  changed_at: '2026-11-23T12:00:00Z',
  fields,
})

it('tells who changed what, and what the studio did by itself', async () => {
  const results = [
    change(3, 'changed', 'ada', [
      { name: 'prompt_price', before: null, after: 2.5 },
      { name: 'enabled', before: true, after: false },
      { name: 'extra_body', before: {}, after: { top_p: 0.9 } },
      { name: 'of_a_later_version', before: 'x', after: 'y' },
    ]),
    change(1, 'created', null, [{ name: 'base_url', before: null, after: 'http://a/v1' }]),
  ]
  playApi(({ path }) =>
    path === '/api/endpoints/mine/changes'
      ? { body: { results, next: null, previous: null } }
      : undefined,
  )
  show(<HistoryDialog endpoint={{ key: 'mine', name: 'Mine' } as Endpoint} onClose={() => null} />)
  const said = (await screen.findByText(/ada changed it/)).closest('li')?.textContent
  expect(said).toContain('Prompt pricenone → 2.5')
  expect(said).toContain('Enabledyes → no')
  expect(said).toContain('Extra request fieldsnone → {"top_p":0.9}')
  expect(said).toContain('of_a_later_versionx → y')
  expect(screen.getByText(/The studio added it/)).toBeTruthy()
  expect(screen.getByText('http://a/v1')).toBeTruthy()
})
