/** What a first visit to a page fetches, compressed as it travels, against the page's limit: the entry,
 * the sheet, the font, the worker of the stream, the page, and the parts that every page fetches later. */
import { existsSync, readFileSync, statSync } from 'node:fs'

const { always, pages } = JSON.parse(
  readFileSync(new URL('first-loads.json', import.meta.url), 'utf8'),
)
const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))

function chunkOf(key) {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`There is no ${key} in the build: correct scripts/first-loads.json.`)
  return chunk
}

/** A chunk's file and those of all that it imports. */
function collect(key, files) {
  const { file, imports = [] } = chunkOf(key)
  if (files.has(file)) return
  files.add(file)
  for (const each of imports) collect(each, files)
}

function travels(file) {
  const compressed = new URL(`${file}.gz`, dist)
  return statSync(existsSync(compressed) ? compressed : new URL(file, dist)).size
}

const workers = chunkOf('index.html').assets.filter((file) => file.includes('shared-worker'))

for (const { path, limit_kb: limit, parts } of pages) {
  const files = new Set(workers)
  for (const key of [...always, ...parts]) collect(key, files)
  const kilobytes = [...files].reduce((sum, file) => sum + travels(file), 0) / 1024
  console.log(`first load of ${path}: ${kilobytes.toFixed(1)} KB of at most ${limit} KB`)
  if (kilobytes > limit) process.exitCode = 1
}
