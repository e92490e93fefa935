import { describe, expect, it } from 'vitest'

import { sizeText } from '@/lib/model-size'

describe('how large a model is', () => {
  it.each([
    [494_032_768, 'server', true, '494M parameters, reported by the server: a small model'],
    [500_000_000, 'name', true, '500M parameters, guessed from the name: a small model'],
    [8_030_261_248, 'person', false, '8.03B parameters, entered'],
    [null, '', false, 'unknown: treated as a large model'],
    [null, '', null, 'unknown: not stored for this run'],
  ] as const)('%s told by %s', (parameters, parameters_from, is_small, said) => {
    expect(sizeText({ parameters, parameters_from, is_small })).toBe(said)
  })
})
