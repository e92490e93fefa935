import { TriangleAlert } from 'lucide-react'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'

import { cx } from '@/components/cx'
import { ScrollRegion } from '@/components/scroll-region'
import { ROVING, useRoving } from '@/lib/use-roving'
import { withMarksShown } from '@/lib/visible-marks'

import { highlighted, type Token } from './highlight'
import { problemsByLine, type Lit } from './lines'
import type { DrawnBlock, ScriptProblem } from './scripts'
import './scripts.css'
import { text } from './words'

const NOTHING: ReadonlySet<number> = new Set()
const NO_PROBLEMS: readonly ScriptProblem[] = []
const { script: words } = text

interface Props {
  label: string
  script: string
  problems?: readonly ScriptProblem[]
  lit?: Lit
  /** Lines that are not as in the script before. */
  fresh?: ReadonlySet<number>
  /** It is being written: its end stays in view. */
  isGrowing?: boolean
  /** What is made in a line; such lines can be chosen. */
  made?: ReadonlyMap<number, readonly DrawnBlock[]>
  chosen?: number | null
  onLine?: (line: number) => void
  className?: string
}

/** A script with its lines counted. The line that speaks now and the chosen line stay in view. */
export function CodeView(props: Readonly<Props>) {
  const { label, script, problems = NO_PROBLEMS, lit, fresh = NOTHING, made, chosen = null } = props
  const { isGrowing = false, onLine, className } = props
  const lines = useMemo(() => highlighted(withMarksShown(script.replace(/\n+$/, ''))), [script])
  const wrong = useMemo(() => problemsByLine(problems), [problems])
  const roving = useRoving('down')
  const first = lit && lit.now.size > 0 ? Math.min(...lit.now) : null
  const list = useInView(chosen ?? first, isGrowing ? lines.length : null)
  const digits = `${String(lines.length).length}ch`
  return (
    <ScrollRegion
      label={label}
      className={cx('script-code overflow-auto focus-visible:-outline-offset-2', className)}
    >
      <Problems problems={wrong.get(null) ?? NO_PROBLEMS} />
      <div {...roving}>
        <ol ref={list} className="py-2 font-mono text-xs leading-5">
          {lines.map((tokens, index) => {
            const number = index + 1
            const blocks = made?.get(number)
            const found = wrong.get(number)
            const isNow = lit?.now.has(number) === true
            const isAround = lit?.around.has(number) === true
            const look = cx(
              'script-line flex w-full items-baseline gap-3 pr-3 pl-3 text-left',
              found
                ? 'script-line-bad'
                : isNow
                  ? 'script-line-now'
                  : isAround
                    ? 'script-line-around'
                    : fresh.has(number) && 'script-line-fresh',
              chosen === number && 'script-line-chosen',
            )
            const content = (
              <>
                <span
                  className={cx(
                    'shrink-0 text-right select-none',
                    isNow ? 'font-semibold text-accent' : 'text-ink-3',
                  )}
                  style={{ width: digits }}
                >
                  {number}
                </span>
                <Code tokens={tokens}>
                  {isGrowing && number === lines.length ? (
                    <span aria-hidden className="caret" />
                  ) : null}
                </Code>
                <Said {...{ blocks, isNow, isAround }} isFresh={fresh.has(number)} />
              </>
            )
            return (
              <li key={number} data-line={number}>
                {blocks && onLine ? (
                  <button
                    type="button"
                    {...ROVING}
                    aria-pressed={chosen === number}
                    onClick={() => onLine(number)}
                    className={cx(look, 'hover:bg-surface-2 focus-visible:-outline-offset-2')}
                  >
                    {content}
                  </button>
                ) : (
                  <div className={look}>{content}</div>
                )}
                <Problems problems={found ?? NO_PROBLEMS} />
              </li>
            )
          })}
        </ol>
      </div>
    </ScrollRegion>
  )
}

/** Long lines break, and go on a little further in. */
function Code({ tokens, children }: Readonly<{ tokens: readonly Token[]; children: ReactNode }>) {
  const [first] = tokens
  const indent = first?.kind === 'plain' ? (/^ */.exec(first.text)?.[0].length ?? 0) : 0
  const hanging = `${indent + 4}ch`
  return (
    <code
      className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap"
      style={{ paddingLeft: hanging, textIndent: `-${hanging}` }}
    >
      {tokens.length === 0 ? '\u200B' : null}
      {tokens.map(({ kind, text: part }, place) =>
        kind === 'plain' ? (
          part
        ) : (
          <span key={place} className={`code-${kind}`}>
            {part}
          </span>
        ),
      )}
      {children}
    </code>
  )
}

interface SaidProps {
  blocks: readonly DrawnBlock[] | undefined
  isNow: boolean
  isAround: boolean
  isFresh: boolean
}

/** What colours say, for those who do not see them. */
function Said({ blocks, isNow, isAround, isFresh }: Readonly<SaidProps>) {
  const said = [
    blocks ? words.makes(blocks.map(({ name }) => name).join(', ')) : null,
    isNow ? words.now : isAround ? words.around : null,
    isFresh ? words.changed : null,
  ].filter((each) => each !== null)
  return said.length > 0 ? <span className="sr-only">{` (${said.join('; ')})`}</span> : null
}

function Problems({ problems }: Readonly<{ problems: readonly ScriptProblem[] }>) {
  if (problems.length === 0) return null
  return (
    <ul className="flex flex-col gap-1.5 border-b border-bad/30 bg-bad-soft px-3 pt-1 pb-2 font-sans text-xs">
      {problems.map((problem, place) => (
        <li key={place} className="flex items-start gap-2">
          <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-bad" />
          <div className="min-w-0 wrap-anywhere">
            <p className="font-medium text-bad">{problem.message}</p>
            <p className="text-ink-2">{problem.remedy}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Keeps a line in view of what scrolls around it, as far as it must; `end`: the last one, as it grows. */
function useInView(line: number | null, end: number | null) {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const wanted = end ?? line
    const item = list.current?.querySelector<HTMLElement>(`[data-line="${wanted}"]`)
    const box = item?.closest('section')
    if (!item || !box) return
    const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight]
    if (top < box.scrollTop) box.scrollTop = top - 24
    else if (bottom > box.scrollTop + box.clientHeight)
      box.scrollTop = bottom - box.clientHeight + 24
  }, [line, end])
  return list
}
