const DECLARED_BYTES = 200
const DECLARED = /^(?:\u00EF\u00BB\u00BF)?\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/

/** The text of a file: of XML by the encoding that it declares, else as UTF-8. */
export async function fileText(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer()
  return decoderFor(bytes).decode(bytes)
}

function decoderFor(bytes: ArrayBuffer): TextDecoder {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  const start = String.fromCodePoint(...new Uint8Array(bytes.slice(0, DECLARED_BYTES)))
  try {
    return new TextDecoder(DECLARED.exec(start)?.[1] ?? 'utf-8')
  } catch {
    return new TextDecoder() // it declares what no browser knows
  }
}
