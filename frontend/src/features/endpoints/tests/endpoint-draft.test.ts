import { describe, expect, it } from 'vitest'

import { draftOf, requestOf } from '@/features/endpoints/endpoint-draft'
import type { Endpoint } from '@/lib/api/queries'

const endpoint = (part: Partial<Endpoint> = {}): Endpoint => ({
  key: 'small',
  name: 'Small',
  base_url: 'http://127.0.0.1:8000/v1',
  model: 'qwen-0.5b',
  parameters: 500_000_000,
  parameters_from: 'name',
  is_small: true,
  api_key_present: true,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...part,
})

describe('the size of a model in the form', () => {
  it('that nobody changed is not sent, so that a guess stays one', () => {
    const known = endpoint()
    const draft = draftOf(known)
    expect(draft.billions).toBe(0.5)
    expect(requestOf({ ...draft, name: 'New' }, known)).not.toHaveProperty('parameters')
    expect(requestOf(draftOf(null), null)).not.toHaveProperty('parameters')
  })

  it('is sent in whole parameters where it was, and as null where it was emptied', () => {
    const known = endpoint()
    const draft = draftOf(known)
    expect(requestOf({ ...draft, billions: 0.494 }, known).parameters).toBe(494_000_000)
    expect(requestOf({ ...draft, billions: null }, known).parameters).toBeNull()
    expect(requestOf({ ...draft, billions: 7 }, endpoint({ parameters: null })).parameters).toBe(
      7_000_000_000,
    )
  })
})
