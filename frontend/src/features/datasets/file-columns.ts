/** The columns of a file, read from its first line, so that they can be chosen instead of typed. */

export interface FileColumn {
  readonly name: string
  /** Its first value, where somebody has read it. */
  readonly example?: string
}

/** null: not known, as of Parquet, which is read on the server. */
export function columnsOf(name: string, start: string): string[] | null {
  const ending = name.toLowerCase().split('.').at(-1)
  const [first = ''] = start.split(/\r?\n/)
  if (ending === 'csv') return csvHeader(first)
  return ending === 'jsonl' || ending === 'ndjson' || ending === 'json' ? jsonKeys(first) : null
}

/** One line of RFC 4180: quoted names may hold commas, and quotes that are doubled. */
function csvHeader(line: string): string[] | null {
  const clean = line.replace(/^\uFEFF/, '')
  const names = [...clean.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  )
  return names.some((name) => name !== '') ? names.filter((name) => name !== '') : null
}

function jsonKeys(line: string): string[] | null {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? Object.keys(row) : null
  } catch {
    // The line is longer than what was read, or it is no JSON: the server's check says more.
    return null
  }
}
