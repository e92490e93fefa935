interface Props {
  main: string
  /** What it rests on, line by line. */
  below: string | readonly string[]
  /** What to be wary of; what is only said stands in `below`. */
  note?: string | null
  noteHelp?: string
}

/** A number of a table, what it rests on below it, and what to be wary of. */
export function StackedNumber({ main, below, note = null, noteHelp }: Readonly<Props>) {
  const lines = typeof below === 'string' ? [below] : below
  return (
    <>
      <span className="block font-medium">{main}</span>
      {lines.map((line) => (
        <span key={line} className="block text-xs text-ink-3">
          {line}
        </span>
      ))}
      {note ? (
        <span className="block text-xs font-medium text-warn" title={noteHelp}>
          {note}
        </span>
      ) : null}
    </>
  )
}
