import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { Plugin } from 'vite'

/** Fonts are compressed already. */
const TEXT = /\.(?:js|css|svg|html)$/
/** Less fits into one packet anyway. */
const LEAST_BYTES = 1024

const ENCODINGS = {
  gz: (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  br: (content: Buffer) => promisify(brotliCompress)(content),
}

/** Beside each text of the build, the same compressed: the web server sends what a browser reads. */
export const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const texts = Object.keys(bundle).filter((name) => TEXT.test(name))
    await Promise.all(texts.map((name) => compress(join(dir, name))))
  },
})

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < LEAST_BYTES) return
  for (const [ending, encode] of Object.entries(ENCODINGS))
    await writeFile(`${path}.${ending}`, await encode(content))
}
