import { expect, it } from 'vitest'

import { draftFiles, useDraft } from '@/features/ask/draft-store'
import { requestOf } from '@/features/ask/use-ask'

it('names the files that have arrived', () => {
  const file = { key: 'k', name: 'a.csv', size: 10, id: 'u1', sent: 10, problem: null }
  draftFiles.set([file, { ...file, key: 'l', id: null }])
  const choices = { method: undefined, endpoint: undefined, pool: undefined, fields: [] }
  expect(requestOf(useDraft.getState(), choices)).toMatchObject({ uploads: ['u1'] })
})
