import { memo, useState, type CSSProperties, type KeyboardEvent, type PointerEvent } from 'react'

import { cx } from '@/components/cx'
import { formatCount } from '@/lib/format'
import { text } from '@/strings/branches'

import { levelOf, shadeOf, tokenTold, type Scale } from './heat'
import type { Branch } from './use-branches'

const { heat: words } = text
/** Of a token that ends the answer. */
const NO_TEXT = '∎'

interface Props {
  branch: Branch
  scale: Scale
  label: string
}

/** An answer with each token shaded. The pointer or the arrow keys choose a token; its numbers stand
 * below. */
export function TokenText({ branch, scale, label }: Readonly<Props>) {
  const { pieces } = branch
  const [at, setAt] = useState<number | null>(null)
  const last = pieces.length - 1
  if (last < 0) return <p className="text-ink-3">{text.branch.empty}</p>
  const told = (place: number): string =>
    [
      words.token(formatCount(place + 1), formatCount(pieces.length)),
      tokenTold(scale, branch, place),
    ].join(', ')
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = at ?? -1
    const to: Readonly<Record<string, number>> = {
      ArrowRight: from + 1,
      ArrowDown: from + 1,
      ArrowLeft: from - 1,
      ArrowUp: from - 1,
      Home: 0,
      End: last,
    }
    const next = to[event.key]
    if (next === undefined) return
    setAt(Math.min(last, Math.max(0, next)))
    event.preventDefault()
  }
  const onPointer = ({ target }: PointerEvent): void => {
    const place = target instanceof HTMLElement ? target.dataset.at : undefined
    if (place !== undefined) setAt(Number(place))
  }
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="sr-only">{branch.message}</p>
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={pieces.length}
        aria-valuenow={(at ?? 0) + 1}
        aria-valuetext={`${shownPiece(pieces[at ?? 0] ?? '')}: ${told(at ?? 0)}`}
        onKeyDown={onKeyDown}
        onFocus={() => setAt((now) => now ?? 0)}
        onPointerOver={onPointer}
        onPointerDown={onPointer}
        className="max-h-96 cursor-default overflow-auto rounded-sm font-mono text-xs leading-6 wrap-anywhere whitespace-pre-wrap"
      >
        {pieces.map((piece, place) => (
          <Token
            key={place}
            place={place}
            piece={piece}
            level={levelOf(scale, branch, place)}
            isChosen={place === at}
          />
        ))}
      </div>
      <p className="min-h-9 text-xs text-ink-2">
        {at === null ? null : (
          <>
            <code className="rounded-sm bg-surface-2 px-1 font-mono text-ink">
              {shownPiece(pieces[at] ?? '')}
            </code>{' '}
            {told(at)}
          </>
        )}
      </p>
    </div>
  )
}

interface TokenProps {
  place: number
  piece: string
  level: number
  isChosen: boolean
}

/** Drawn again only where it changes: an answer may have thousands. */
const Token = memo(function Token({ place, piece, level, isChosen }: Readonly<TokenProps>) {
  const { className, color } = shadeOf(level)
  const style: CSSProperties = { backgroundColor: color }
  return (
    <span
      data-at={place}
      style={style}
      className={cx(
        'mr-px border-b-2 border-ink-3 px-px py-0.5',
        className,
        isChosen && 'outline-2 outline-ink',
      )}
    >
      {piece === '' ? NO_TEXT : piece.replaceAll('\n', '↵\n')}
    </span>
  )
})

/** White space made visible. */
const shownPiece = (piece: string): string =>
  piece.replaceAll(' ', '␣').replaceAll('\n', '↵').replaceAll('\t', '⇥') || NO_TEXT
