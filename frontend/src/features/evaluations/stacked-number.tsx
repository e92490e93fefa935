interface Props {
  main: string
  below: string
  note?: string | null
  noteHelp?: string
}

/** A number of a table, what it rests on below it, and what to be wary of. */
export function StackedNumber({ main, below, note = null, noteHelp }: Readonly<Props>) {
  return (
    <>
      <span className="block font-medium">{main}</span>
      <span className="block text-xs text-ink-3">{below}</span>
      {note ? (
        <span className="block text-xs font-medium text-warn" title={noteHelp}>
          {note}
        </span>
      ) : null}
    </>
  )
}
