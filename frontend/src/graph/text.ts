/** White space that is collapsed may be that much of a text. */
const MOSTLY_SPACE = 4

/** One line of at most `most` characters, of the beginning of a text of any length. */
export function shortText(text: string, most: number): string {
  const all = text.trim()
  const head = all.slice(0, most * MOSTLY_SPACE)
  const line = head.replaceAll(/\s+/g, ' ').trim()
  const isCut = line.length > most || head.length < all.length
  return isCut ? `${line.slice(0, most - 1).trimEnd()}…` : line
}

/** The end of a growing text: what was written last, cut at a word. */
export function lastPart(text: string, most: number): string {
  if (text.length <= most) return text.trimStart()
  const tail = text.slice(-most)
  const space = tail.search(/\s/)
  return `…${space >= 0 && space < most / 2 ? tail.slice(space) : tail}`
}
