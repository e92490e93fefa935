import { describe, expect, it } from 'vitest'

import { draftOf, readFields, requestOf } from '@/features/endpoints/endpoint-draft'
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

describe('extra request fields in the form', () => {
  it('are text that is read as an object; an emptied text is an empty one', () => {
    const known = endpoint({ extra_body: { top_p: 0.9, nested: { on: false } } })
    const draft = draftOf(known)
    expect(draft.extra_body).toBe('{\n  "top_p": 0.9,\n  "nested": {\n    "on": false\n  }\n}')
    expect(requestOf(draft, known).extra_body).toEqual(known.extra_body)
    expect(requestOf({ ...draft, extra_body: ' ' }, known).extra_body).toEqual({})
    expect(draftOf(null).extra_body).toBe('')
  })

  it.each(['{', '[1]', '"a"', '3', 'null', '{"a": 1e400}', '{"a": 9007199254740993}', '{a: 1}'])(
    'are not read from %s',
    (text) => {
      expect(readFields(text)).toBeNull()
    },
  )
})
