import { MessageText } from '@/components/message-text'
import { Tabs, type TabItem } from '@/components/tabs'
import { WordDiff } from '@/components/word-diff'

import { text } from '@/strings/compare'
import type { Pair } from './rows'

interface Props {
  label: string
  texts: Pair<string>
  /** Shown where neither side has a text, and there is nothing more. */
  none: string
  more?: readonly TabItem[]
}

/** Word by word what changed from left to right, and each side as it was written. */
export function TextTabs({ label, texts, none, more = [] }: Readonly<Props>) {
  const [left, right] = texts
  const items = [
    ...(left && right
      ? [
          {
            key: 'changed',
            label: text.changed,
            content: <Changes texts={texts} same={text.same} />,
          },
        ]
      : []),
    ...(left ? [{ key: 'left', label: text.left, content: <Whole message={left} /> }] : []),
    ...(right ? [{ key: 'right', label: text.right, content: <Whole message={right} /> }] : []),
    ...more,
  ]
  if (items.length === 0) return <p className="p-4 text-ink-3">{none}</p>
  return <Tabs label={label} items={items} panelClassName="p-4" />
}

function Whole({ message }: Readonly<{ message: string }>) {
  return (
    <div className="max-h-[50dvh] overflow-auto">
      <MessageText text={message} />
    </div>
  )
}

export function Changes({ texts, same }: Readonly<{ texts: Pair<string>; same: string }>) {
  const [before, after] = texts
  if (before === after) return <p className="text-ink-2">{same}</p>
  return (
    <WordDiff
      before={before}
      after={after}
      words={text}
      otherwise={<p className="text-ink-2">{text.tooDifferent}</p>}
    />
  )
}
