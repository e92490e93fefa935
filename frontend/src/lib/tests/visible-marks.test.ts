import { expect, test } from 'vitest'

import { withMarksShown } from '@/lib/visible-marks'

test('marks that hide what code does are written out, and letters of all scripts stay', () => {
  expect(withMarksShown('if user == "a\u202E\u2066 # who\u2069":')).toBe(
    'if user == "a⟦U+202E⟧⟦U+2066⟧ # who⟦U+2069⟧":',
  )
  expect(withMarksShown('x\u200B = 1\uFEFF')).toBe('x⟦U+200B⟧ = 1⟦U+FEFF⟧')
  const plain = 'print("größe, 数, שלום, \u{1F469}\u200D\u{1F680}")\n\tx = 1'
  expect(withMarksShown(plain)).toBe(plain)
})
