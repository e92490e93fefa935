import { ChevronDown } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { MessageForm, MessageText } from '@/components/message-text'
import { PlainText } from '@/components/plain-text'
import { useRun } from '@/components/run/run-context'
import { replayOf, storedWhole } from '@/components/run/run-store'
import { paceOf } from '@/graph/replay'
import { isEnded } from '@/graph/run-view'
import { shorten } from '@/lib/format'
import { useProgressTitle } from '@/lib/use-progress-title'
import { useWide } from '@/lib/use-wide'
import { text } from '@/strings/run'

import { prepareParts } from './parts'
import { progressOf, RunHeader } from './run-header'
import { useRunAddress } from './run-address'
import { RunNotes } from './run-notes'
import { RunNotices } from './run-notices'
import { RunStacked } from './run-stacked'
import { RunWide } from './run-wide'

const TITLE_CHARS = 60

/** A run that is known: its question, how it stands, its team and their trace. */
export function RunBody({ actions }: Readonly<{ actions: ReactNode }>) {
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  const setNarrow = useRun((state) => state.setNarrow)
  const wide = useWide()
  const goesOn = useRun(({ view }) => progressOf(view))
  useProgressTitle(query ? shorten(query, TITLE_CHARS) : text.title, goesOn)
  useEffect(() => setNarrow(!wide), [setNarrow, wide])
  const isOver = useRun(({ view }) => isEnded(view.status))
  useEffect(() => prepareParts(isOver), [isOver])
  useReplay()
  return (
    <div className="flex flex-1 flex-col lg:min-h-[38rem] lg:basis-0">
      <RunHeader actions={actions} />
      <div className="flex flex-col gap-2 px-4 pt-3 empty:hidden sm:px-6">
        <RunNotices />
        <AnswerCard />
        <RunNotes />
      </div>
      {wide ? <RunWide /> : <RunStacked />}
    </div>
  )
}

/** A slider passes many moments on the way to the one that is meant. */
const SETTLED_MS = 250

/** Lets the replay of what has ended go on, and keeps the address saying what is shown: whoever
 * follows it is taken to that attempt and moment, and while it plays it names no moment, so that
 * whoever comes back is not taken to one that has passed. Once for the page, whichever of its views
 * is open. */
function useReplay(): void {
  const go = useRun((state) => state.go)
  const seek = useRun((state) => state.seek)
  const playing = useRun((state) => state.playing)
  const moment = useRun((state) => state.moment)
  const chosen = useRun((state) => state.chosen)
  const whole = useRun(storedWhole)
  const families = useRun((state) => state.families)
  const { attempt: linkedAttempt, moment: linkedMoment, openPlace } = useRunAddress()
  const arrivesIn = useRef(linkedAttempt)
  const arrivesAt = useRef(linkedMoment)

  useEffect(() => {
    if (arrivesIn.current !== null) go(arrivesIn.current, null)
    arrivesIn.current = null
  }, [go])

  useEffect(() => {
    if (!whole || arrivesAt.current === null) return
    seek(arrivesAt.current)
    arrivesAt.current = null
  }, [whole, seek])

  useEffect(() => {
    if (!whole || !playing || moment === null) return undefined
    const { stride, milliseconds } = paceOf(replayOf(whole, families).moments.length)
    const timer = setTimeout(() => seek(moment + stride), milliseconds)
    return () => clearTimeout(timer)
  }, [whole, families, playing, moment, seek])

  const said = playing ? null : moment
  useEffect(() => {
    const isSaid = said === linkedMoment && chosen === linkedAttempt
    if (arrivesAt.current !== null || isSaid) return undefined
    const timer = setTimeout(() => openPlace(chosen, said), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [said, linkedMoment, chosen, linkedAttempt, openPlace])
}

const PROGRAM = 'max-h-40 overflow-auto font-mono text-xs'

/** The answer, and on request the message that it was read from. */
function AnswerCard() {
  const status = useRun((state) => state.view.status)
  const answer = useRun((state) => state.attempt?.outcome?.answer ?? state.view.detail?.answer)
  const message = useRun((state) => state.attempt?.outcome?.message ?? state.view.detail?.message)
  const reference = useRun((state) => state.view.detail?.reference)
  const isProgram = useRun((state) => state.view.detail?.answer_form === 'code')
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
            'min-w-0 flex-1 basis-60 wrap-anywhere whitespace-pre-wrap',
            !hasAnswer
              ? 'text-ink-2'
              : isProgram
                ? PROGRAM
                : answer.length > 120
                  ? 'max-h-40 overflow-auto text-base'
                  : 'text-xl font-semibold tracking-tight',
          )}
        >
          <PlainText text={hasAnswer ? answer : text.noAnswer} />
        </p>
        {reference ? (
          <p className="min-w-0 text-xs wrap-anywhere whitespace-pre-wrap text-ink-2">
            <span className="text-ink-3">{text.reference}: </span>
            <span className={cx(isProgram && `block ${PROGRAM}`)}>
              <PlainText text={reference} />
            </span>
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
