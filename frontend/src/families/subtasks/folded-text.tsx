import { useState } from 'react'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { text as words } from '@/strings/run'

const LINES = 8
const CHARS_OF_A_LINE = 80

interface Props {
  text: string
  /** What is copied, for whoever does not see the text. */
  copy: string
}

/** What was written, letter by letter; of a long text the beginning, until one asks for all of it. */
export function FoldedText({ text, copy }: Readonly<Props>) {
  const [isWhole, setIsWhole] = useState(false)
  const isLong = linesOf(text) > LINES
  return (
    <div className="flex flex-col items-start gap-1">
      <div className="relative w-full rounded-md bg-surface-2 p-2.5 pr-10">
        <pre
          className={cx(
            'font-mono text-xs wrap-anywhere whitespace-pre-wrap',
            isLong && !isWhole && 'line-clamp-[8]',
          )}
        >
          {text}
        </pre>
        <span className="absolute top-0.5 right-1">
          <CopyButton text={text} name={copy} />
        </span>
      </div>
      {isLong ? (
        <Button
          variant="quiet"
          size="sm"
          aria-expanded={isWhole}
          onPress={() => setIsWhole(!isWhole)}
        >
          {isWhole ? words.less : words.whole}
        </Button>
      ) : null}
    </div>
  )
}

/** About as many as it takes on a screen. */
const linesOf = (text: string): number =>
  text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / CHARS_OF_A_LINE)), 0)
