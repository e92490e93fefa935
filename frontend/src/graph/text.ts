/** One line of at most `most` characters. */
export function shortText(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line
}

/** The end of a growing text: what was written last, cut at a word. */
export function lastPart(text: string, most: number): string {
  if (text.length <= most) return text.trimStart()
  const tail = text.slice(-most)
  const space = tail.search(/\s/)
  return `…${space >= 0 && space < most / 2 ? tail.slice(space) : tail}`
}
