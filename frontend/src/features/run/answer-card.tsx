import { ChevronDown } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { MessageForm, MessageText } from '@/components/message-text'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'

/** The answer, and on request the message that it was read from. */
export function AnswerCard() {
  const status = useRun((state) => state.view.status)
  const answer = useRun((state) => state.attempt?.outcome?.answer ?? state.view.detail?.answer)
  const message = useRun((state) => state.attempt?.outcome?.message ?? state.view.detail?.message)
  const reference = useRun((state) => state.view.detail?.reference)
  const [open, setOpen] = useState(false)
  if (status !== 'succeeded') return null
  const hasAnswer = answer != null && answer !== ''
  return (
    <section
      aria-label={text.answer}
      className="overflow-hidden rounded-lg border border-accent/50 bg-surface-1"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
        <h2 className="text-xs font-semibold text-ink-3">{text.answer}</h2>
        <p
          className={cx(
            'min-w-0 flex-1 basis-60 wrap-anywhere',
            !hasAnswer
              ? 'text-ink-2'
              : answer.length > 120
                ? 'max-h-40 overflow-auto text-base'
                : 'text-xl font-semibold tracking-tight',
          )}
        >
          {hasAnswer ? answer : text.noAnswer}
        </p>
        {reference ? (
          <p className="min-w-0 text-xs wrap-anywhere text-ink-2">
            <span className="text-ink-3">{text.reference}: </span>
            {reference}
          </p>
        ) : null}
        {message ? (
          <Button
            variant="quiet"
            size="sm"
            aria-expanded={open}
            onPress={() => setOpen(!open)}
            icon={
              <ChevronDown
                size={14}
                aria-hidden
                className={cx('transition-transform', open && 'rotate-180')}
              />
            }
          >
            {open ? text.hideMessage : text.showMessage}
          </Button>
        ) : null}
      </div>
      {open && message ? (
        <div className="max-h-[40dvh] overflow-auto border-t border-line px-4 py-3">
          <div className="float-right ml-3 flex items-center gap-1">
            <MessageForm />
            <CopyButton text={message} name={text.agent.copyMessage} />
          </div>
          <MessageText text={message} />
        </div>
      ) : null}
    </section>
  )
}
