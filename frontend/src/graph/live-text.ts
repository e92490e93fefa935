/**
 * Text that streams in pieces, each carrying the offset at which it belongs.
 *
 * Pieces may come twice, overlap, or leave a gap after a reconnect. A piece that contradicts what is
 * already there means that the model started over (a retried call), so the text continues from it.
 */
export interface LiveText {
  /** Everything known without a gap from the start. */
  readonly text: string
  /** Pieces beyond a gap, sorted by offset. */
  readonly ahead: readonly TextPiece[]
}

export interface TextPiece {
  readonly offset: number
  readonly text: string
}

export const NO_TEXT: LiveText = { text: '', ahead: [] }

/** The same object when the piece brought nothing new. */
export function addPiece(live: LiveText, piece: TextPiece): LiveText {
  if (piece.text === '') return live
  if (piece.offset > live.text.length) return keepAhead(live, piece)
  const known = live.text.slice(piece.offset, piece.offset + piece.text.length)
  if (known === piece.text) return live
  if (piece.text.startsWith(known)) {
    return joinAhead({ text: live.text.slice(0, piece.offset) + piece.text, ahead: live.ahead })
  }
  return { text: live.text.slice(0, piece.offset) + piece.text, ahead: [] }
}

/** The server's whole partial text: newer than ours unless ours already goes further. */
export function adoptText(live: LiveText, whole: string): LiveText {
  if (live.text.startsWith(whole)) return live
  return joinAhead({ text: whole, ahead: live.ahead })
}

/** For reading: pieces beyond a gap follow an ellipsis. */
export function readableText(live: LiveText): string {
  if (live.ahead.length === 0) return live.text
  return [live.text, ...live.ahead.map((piece) => piece.text)].join(' … ')
}

function keepAhead(live: LiveText, piece: TextPiece): LiveText {
  const twice = live.ahead.some(
    (other) => other.offset === piece.offset && other.text === piece.text,
  )
  if (twice) return live
  const last = live.ahead.at(-1)
  if (last && last.offset + last.text.length === piece.offset) {
    const joined = { offset: last.offset, text: last.text + piece.text }
    return { text: live.text, ahead: [...live.ahead.slice(0, -1), joined] }
  }
  return { text: live.text, ahead: [...live.ahead, piece].sort((a, b) => a.offset - b.offset) }
}

function joinAhead(live: LiveText): LiveText {
  let text = live.text
  let rest = live.ahead
  for (let next = rest[0]; next && next.offset <= text.length; next = rest[0]) {
    const end = next.offset + next.text.length
    if (end > text.length) text += next.text.slice(text.length - next.offset)
    rest = rest.slice(1)
  }
  return { text, ahead: rest }
}
