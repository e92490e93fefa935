import { diffWordsWithSpace } from 'diff'
import { useMemo, type ReactNode } from 'react'

import { strings } from '@/strings/studio'

/** Comparing word by word takes time in the square of the texts. */
const DIFF_CHARS = 20_000
const DIFF_MS = 300

interface Props {
  before: string
  after: string
  /** What is said before a changed word to who does not see its colour. */
  words?: { readonly removed: string; readonly added: string }
  /** Shown instead where the texts are too long and too different; else both stand there whole. */
  otherwise?: ReactNode
}

/** Two texts in one, with what differs word by word. */
export function WordDiff(props: Readonly<Props>) {
  const { before, after, words = strings.wordDiff, otherwise } = props
  const parts = useMemo(
    () =>
      Math.max(before.length, after.length) > DIFF_CHARS
        ? undefined
        : diffWordsWithSpace(before, after, { timeout: DIFF_MS }),
    [before, after],
  )
  if (!parts) return otherwise ?? <Whole before={before} after={after} words={words} />
  return (
    <p className="max-h-[50dvh] overflow-auto whitespace-pre-wrap">
      {parts.map(({ value, added, removed }, index) => {
        if (added)
          return (
            <ins key={index} className="rounded-sm bg-good-soft text-good">
              <span className="sr-only">{words.added} </span>
              {value}
            </ins>
          )
        if (removed)
          return (
            <del key={index} className="rounded-sm bg-bad-soft text-bad">
              <span className="sr-only">{words.removed} </span>
              {value}
            </del>
          )
        return <span key={index}>{value}</span>
      })}
    </p>
  )
}

function Whole({ before, after, words }: Readonly<Required<Omit<Props, 'otherwise'>>>) {
  return (
    <>
      <del className="block max-h-[25dvh] overflow-auto rounded-sm bg-bad-soft px-1.5 whitespace-pre-wrap">
        <span className="sr-only">{words.removed} </span>
        {before}
      </del>
      <ins className="block max-h-[25dvh] overflow-auto rounded-sm bg-good-soft px-1.5 whitespace-pre-wrap">
        <span className="sr-only">{words.added} </span>
        {after}
      </ins>
    </>
  )
}
