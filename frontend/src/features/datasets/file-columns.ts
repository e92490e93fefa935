/** The columns of a file, read from its first line, so that they can be chosen instead of typed. */

export interface FileColumn {
  readonly name: string
  /** Its first value, where somebody has read it. */
  readonly example?: string
}

/** null: not known, as of Parquet, which is read on the server. */
export function columnsOf(name: string, start: string): string[] | null {
  const ending = name.toLowerCase().split('.').at(-1)
  const [first = '', second = ''] = start.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (ending === 'csv') {
    const told = /^sep=(.)$/i.exec(first)?.[1]
    return csvHeader(told ? second : first, told ?? separatorOf(first))
  }
  return ending === 'jsonl' || ending === 'ndjson' || ending === 'json' ? jsonKeys(first) : null
}

const SEPARATORS = [',', ';', '\t', '|']

/** What there is most of outside of quotation marks, as the server decides. */
function separatorOf(line: string): string {
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, '')
  const count = (separator: string) => bare.split(separator).length
  return SEPARATORS.reduce((best, each) => (count(each) > count(best) ? each : best))
}

/** One line of RFC 4180: quoted names may hold the separator, and quotes that are doubled. */
function csvHeader(line: string, separator: string): string[] | null {
  const names: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*/.exec(rest)
    const plain = rest.split(separator, 1)[0] ?? ''
    names.push((quoted?.[1]?.replaceAll('""', '"') ?? plain).trim())
    const next = rest.indexOf(separator, quoted?.[0].length ?? plain.length)
    if (next < 0) break
    rest = rest.slice(next + separator.length)
  }
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
