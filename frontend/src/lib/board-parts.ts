/** Boards inside a text: their lines are meant to stand exactly below each other. */
export interface TextPart {
  readonly text: string
  readonly isBoard: boolean
}

const MOST_COLUMNS = 200
const FENCE = /^\s*(```|~~~)/

/** Marks and capitals without a gap, "#..S", or single ones, "1 _ 3 4". A table of Markdown is none. */
const ROW = /^(?:(?:(?![a-z|])[!-~]){2,}|[!-{}~](?: [!-{}~])+)$/

const isRow = (line: string): boolean => line.length <= MOST_COLUMNS && ROW.test(line)

/** Splits a text. Its parts join to the same text. Two or more rows of one length are a board, but not in a block
 * of code. */
export function boardParts(text: string): readonly TextPart[] {
  const lines = text.split(/(?<=\n)/)
  const parts: TextPart[] = []
  let isCode = false
  let at = 0
  while (at < lines.length) {
    if (FENCE.test(lines[at] ?? '')) isCode = !isCode
    const rows = isCode ? 0 : rowsFrom(lines, at)
    const count = Math.max(1, rows)
    const part = lines.slice(at, at + count).join('')
    const last = parts.at(-1)
    const isBoard = rows > 1
    if (last && !isBoard && !last.isBoard) parts.splice(-1, 1, { text: last.text + part, isBoard })
    else parts.push({ text: part, isBoard })
    at += count
  }
  return parts
}

/** How many lines from this one on are rows of its length. */
function rowsFrom(lines: readonly string[], from: number): number {
  const bare = (at: number): string => lines[at]?.replace(/\r?\n$/, '') ?? ''
  let to = from
  while (to < lines.length && isRow(bare(to)) && bare(to).length === bare(from).length) to += 1
  return to - from
}

export const hasBoard = (text: string): boolean => boardParts(text).some(({ isBoard }) => isBoard)
