import { describe, expect, it } from 'vitest'

import { sizeText } from '@/lib/model-size'

describe('how large a model is', () => {
  it.each([
    [494_032_768, 'server', true, '494M parameters, told by the server: a small model'],
    [500_000_000, 'name', true, '500M parameters, guessed from the name: a small model'],
    [8_030_261_248, 'person', false, '8.03B parameters, entered'],
    [null, '', false, 'unknown: prompted as a large model'],
    [null, '', null, 'unknown: the run is older than this was stored'],
  ] as const)('%s told by %s', (parameters, parameters_from, is_small, said) => {
    expect(sizeText({ parameters, parameters_from, is_small })).toBe(said)
  })
})
