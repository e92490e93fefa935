import type { MoveView, Picture } from './episode'
import { resultOf } from './results'
import { text } from './words'

interface Props {
  move: MoveView
  before: Picture
  commits: boolean
}

/** What was read of a message, and what it did on the board, or would do. */
export function Read({ move, before, commits }: Readonly<Props>) {
  return (
    <div className="flex flex-col gap-0.5 text-xs">
      {move.read === '' ? null : (
        <>
          <span className="text-ink-3">{text.read}</span>
          <pre className="max-h-40 self-start overflow-auto rounded-sm bg-accent-soft px-1.5 py-0.5 font-mono font-medium wrap-anywhere whitespace-pre-wrap text-accent">
            {move.read}
          </pre>
        </>
      )}
      <span className="text-ink-2">{resultOf(move, before, commits)}</span>
    </div>
  )
}
