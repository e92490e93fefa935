import { Equal, EqualNot } from 'lucide-react'

import { CodeBlock } from '@/components/code-block'
import { cx } from '@/components/cx'
import { MessageText } from '@/components/message-text'
import { ScrollRegion } from '@/components/scroll-region'
import { VerdictBadge } from '@/components/verdict-badge'

import type { MathScene, Said } from './math'
import { text } from './view-words'
import { text as told } from './words'

const { math: words } = text

/** The last answer of each agent, side by side, and whether they are the same. */
export function MathView({ scene: { said, agreed } }: Readonly<{ scene: MathScene }>) {
  const Sign = agreed ? Equal : EqualNot
  if (said.length === 0) return <p className="text-ink-2">{words.none}</p>
  return (
    <ScrollRegion label={text.state} className="size-full overflow-auto">
      <div className="mx-auto flex max-w-4xl flex-col gap-3">
        {agreed === null ? null : (
          <p className={cx('flex items-center gap-1.5', agreed ? 'text-accent' : 'text-warn')}>
            <Sign size={14} aria-hidden />
            {told.answers[agreed ? 'agree' : 'differ']}
          </p>
        )}
        <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,15rem),1fr))] items-start gap-3">
          {said.map((each) => (
            <Answer key={each.speaker} said={each} />
          ))}
        </ul>
      </div>
    </ScrollRegion>
  )
}

function Answer({
  said: { speaker, text: message, output, answer, right },
}: Readonly<{ said: Said }>) {
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-xs text-ink-3">{words.by[speaker]}</span>
        {right === null ? null : <VerdictBadge correct={right} plain />}
      </div>
      <p className={answer === null ? 'text-ink-2' : 'text-lg font-semibold wrap-anywhere'}>
        {answer ?? words.unread}
      </p>
      {speaker === 'reasoner' ? (
        <ScrollRegion label={words.words} className="max-h-60 overflow-auto text-ink-2">
          <MessageText text={message} />
        </ScrollRegion>
      ) : (
        <>
          <CodeBlock label={words.program} body={message || words.noProgram} />
          <span className="text-xs text-ink-3">{words.printed}</span>
          <CodeBlock label={words.printed} body={output || words.nothing} />
        </>
      )}
    </li>
  )
}
