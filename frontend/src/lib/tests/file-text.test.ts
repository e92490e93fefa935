import { describe, expect, it } from 'vitest'

import { fileText } from '@/lib/file-text'

const latin = (text: string): Blob =>
  new Blob([Uint8Array.from(text, (letter) => letter.codePointAt(0) ?? 0)])
const said = 'Größe'

describe('the text of a file', () => {
  it('is UTF-8 where nothing is declared, with or without a mark', async () => {
    expect(await fileText(new Blob([said]))).toBe(said)
    expect(await fileText(new Blob(['\uFEFF' + said]))).toBe(said)
  })

  it.each(['ISO-8859-1', 'iso-8859-15', 'windows-1252'])(
    'is read as declared: %s',
    async (name) => {
      const text = `<?xml version="1.0" encoding="${name}"?><a>${said}</a>`
      expect(await fileText(latin(text))).toBe(text)
    },
  )

  it('is read as UTF-8 where that is declared, or what nobody knows', async () => {
    for (const name of ['UTF-8', 'x-klingon']) {
      const text = `<?xml version='1.0' encoding='${name}'?><a>${said}</a>`
      expect(await fileText(new Blob([text]))).toBe(text)
    }
  })

  it('is UTF-16 by its mark', async () => {
    const bytes = new Uint8Array([
      0xff,
      0xfe,
      ...Array.from(said, (letter) => [letter.charCodeAt(0), 0]).flat(),
    ])
    expect(await fileText(new Blob([bytes]))).toBe(said)
  })
})
