import { describe, expect, it } from 'vitest'

import { Began } from '@/lib/api/began'
import { toApiError } from '@/lib/api/errors'

const opened = { name: 'Sums', licence: '', tags: { a: 1 } }
const stored = (now: Partial<typeof opened>) => async () => Promise.resolve({ ...opened, ...now })
const refusal = async (wanted: Promise<unknown>) =>
  toApiError(await wanted.catch((thrown: unknown) => thrown))

describe('what is sent of a form', () => {
  it('is what its user changed, whatever another person changed meanwhile', async () => {
    const began = new Began(opened)
    const mine = { ...opened, name: 'Mine' }
    expect(await began.changes(mine, stored({ licence: 'MIT', tags: { a: 2 } }))).toEqual({
      name: 'Mine',
    })
  })

  it('is nothing where both changed one field, until its user has seen the other value', async () => {
    const began = new Began(opened)
    const mine = { ...opened, name: 'Mine', licence: 'MIT' }
    const theirs = stored({ name: 'Theirs' })
    const error = await refusal(began.changes(mine, theirs))
    expect(error.code).toBe('changed_elsewhere')
    expect(error.fields.map(({ field, message }) => [field, message])).toEqual([
      ['name', 'Changed elsewhere. It now says: “Theirs”.'],
    ])
    expect(await began.changes(mine, theirs)).toEqual({ name: 'Mine', licence: 'MIT' })
    expect((await refusal(began.changes(mine, stored({ name: 'Third' })))).fields).toHaveLength(1)
  })

  it('may be the same change twice', async () => {
    const mine = { ...opened, name: 'Both' }
    expect(await new Began(opened).changes(mine, stored({ name: 'Both' }))).toEqual({
      name: 'Both',
    })
  })

  it('has a number that could not be read, so that the request is refused', async () => {
    const priced = { price: null as number | null }
    const began = new Began(priced)
    expect(await began.changes({ price: Number.NaN }, async () => Promise.resolve(priced))).toEqual(
      {
        price: Number.NaN,
      },
    )
  })
})
