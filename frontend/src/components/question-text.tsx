import { useState } from 'react'

import { text as words } from '@/strings/run'

import { Button } from './button'
import { cx } from './cx'
import { PlainText } from './plain-text'

const LONG_QUERY = 160

interface Props {
  text: string
  /** Of a page it is the heading. */
  as?: 'h1' | 'p'
  className?: string
}

/** A question; a long one is cut to two lines until asked for. */
export function QuestionText({ text, as: Line = 'p', className }: Readonly<Props>) {
  const [whole, setWhole] = useState(false)
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <Line
        className={cx(
          'whitespace-pre-wrap',
          whole ? 'max-h-[40dvh] overflow-auto' : 'line-clamp-2',
          className,
        )}
      >
        <PlainText text={text} />
      </Line>
      {text.length > LONG_QUERY ? (
        <Button variant="quiet" size="sm" className="-ml-2" onPress={() => setWhole(!whole)}>
          {whole ? words.less : words.whole}
        </Button>
      ) : null}
    </div>
  )
}
