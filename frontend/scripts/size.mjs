/** The first load of `/`: entry, its static imports and the page's chunk, gzipped, against the limit. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT_KB = 350
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))

const files = new Set()
function collect(key) {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`no ${key} in the manifest: build first`)
  if (files.has(chunk.file)) return
  files.add(chunk.file)
  for (const style of chunk.css ?? []) files.add(style)
  for (const child of chunk.imports ?? []) collect(child)
}

const kilobytes = () =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length,
    0,
  ) / 1024

const pages = ['index.html', 'src/app/home/home-page.tsx']
pages.forEach(collect)
const first = kilobytes()
files.clear()
;['index.html', 'src/features/run/run-page.tsx'].forEach(collect)
const run = kilobytes()
console.log(
  `first load of /: ${first.toFixed(1)} KB gzip (limit ${LIMIT_KB}); of a run: ${run.toFixed(1)} KB`,
)
if (first > LIMIT_KB) process.exit(1)
