import { useMemo, useRef } from 'react'

import { cx } from '@/components/cx'
import { highlighted } from '@/families/scripts/highlight'
import '@/families/scripts/scripts.css'
import { text } from '@/strings/designs'

import { FIELDS } from './canvas-focus'
import { cleanText } from './clean-text'
import { useDesignStore } from './design-store'
import { setScript } from './edits'
import { problemsByLine } from './script-problems'
import { useProblems } from './use-problems'

const MOST_CHARS = 60_000
const LINE = 'font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap'
const { script: words } = text

/**
 * The script as a text field. Behind its letters stand the same lines in colour, with their numbers; a line with a
 * mistake is marked, and what is wrong stands below.
 */
export function ScriptEditor({ script }: Readonly<{ script: string }>) {
  const { edit } = useDesignStore().getState()
  const lines = useMemo(() => highlighted(script), [script])
  const problems = useProblems()
  const wrong = useMemo(() => problemsByLine(problems), [problems])
  const field = useRef<HTMLTextAreaElement>(null)
  const gutter = `${String(lines.length).length + 3}ch`
  const goTo = (line: number): void => {
    const at =
      script
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0)
    field.current?.focus()
    field.current?.setSelectionRange(at, at)
  }
  return (
    <div {...FIELDS} className="flex min-h-0 flex-1 flex-col bg-surface-1">
      <div className="script-code min-h-0 flex-1 overflow-auto">
        <div className="relative grid min-h-full">
          <div aria-hidden className={cx('col-start-1 row-start-1 py-2', LINE)}>
            {lines.map((tokens, index) => (
              <div
                key={index}
                className={cx('script-line pr-3', wrong.has(index + 1) && 'script-line-bad')}
                style={{ paddingLeft: gutter }}
              >
                <span
                  className="absolute left-0 pr-2 text-right text-ink-3 select-none"
                  style={{ width: `calc(${gutter} - 1ch)` }}
                >
                  {index + 1}
                </span>
                {tokens.length === 0 ? '\u200B' : null}
                {tokens.map((token, place) => (
                  <span key={place} className={`code-${token.kind}`}>
                    {token.text}
                  </span>
                ))}
              </div>
            ))}
          </div>
          <textarea
            ref={field}
            aria-label={words.label}
            aria-invalid={wrong.size > 0}
            aria-describedby={problems.length > 0 ? PROBLEMS_ID : undefined}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            maxLength={MOST_CHARS}
            value={script}
            onChange={(event) => {
              const written = cleanText(event.target.value)
              edit((design) => setScript(design, written), 'script')
            }}
            className={cx(
              'col-start-1 row-start-1 resize-none overflow-hidden bg-transparent py-2 pr-3 text-transparent caret-ink outline-none selection:bg-accent/25 selection:text-transparent focus-visible:-outline-offset-2',
              LINE,
            )}
            style={{ paddingLeft: gutter }}
          />
        </div>
      </div>
      <ScriptProblems onLine={goTo} />
    </div>
  )
}

const PROBLEMS_ID = 'script-problems'

const toneOf = (severity: string): string => (severity === 'error' ? 'text-bad' : 'text-ink')

function ScriptProblems({ onLine }: Readonly<{ onLine: (line: number) => void }>) {
  const problems = useProblems()
  if (problems.length === 0) return null
  const isError = problems.some(({ severity }) => severity === 'error')
  return (
    <ul
      id={PROBLEMS_ID}
      aria-label={text.problems.title}
      className={cx(
        'flex max-h-[40%] shrink-0 flex-col gap-2 overflow-auto border-t px-3 py-2 text-xs',
        isError ? 'border-bad/30 bg-bad-soft' : 'border-warn/40 bg-warn-soft',
      )}
    >
      {problems.map(({ line, message, remedy, severity }) => (
        <li key={`${line} ${message}`} className="wrap-anywhere">
          {line === null ? (
            <span className={cx('font-medium', toneOf(severity))}>{message}</span>
          ) : (
            <button
              type="button"
              className={cx('rounded-sm text-left font-medium hover:underline', toneOf(severity))}
              onClick={() => onLine(line)}
            >
              {words.line(line)} {message}
            </button>
          )}
          <span className="block text-ink-2">{remedy}</span>
        </li>
      ))}
    </ul>
  )
}
