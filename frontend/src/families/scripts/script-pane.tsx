import { useMemo } from 'react'

import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { Working } from '@/components/working'

import { chosenIn, lineId } from './chosen'
import { CodeView } from './code-view'
import { blocksByLine, linesNotIn } from './lines'
import type { Writing } from './scripts'
import { useWritten, type Scripts } from './use-scripts'
import { text } from './words'

const { script: words } = text

interface Props {
  scripts: Scripts
  writing: Writing | null
  /** The script before it, beside which it stands. */
  before?: Writing | null
  selected: string | null
  onSelect: (id: string | null) => void
  /** As high as it is, where the page scrolls. */
  className?: string
}

/** One script: while it is written, with its problems, or as it runs. */
export function ScriptPane({ writing, className, ...rest }: Readonly<Props>) {
  return (
    <div className={cx('relative flex flex-col', className)}>
      {writing ? (
        <Written writing={writing} {...rest} />
      ) : (
        <p className="p-4 text-ink-3">{words.none}</p>
      )}
    </div>
  )
}

function Written(props: Readonly<Omit<Props, 'writing' | 'className'> & { writing: Writing }>) {
  const { scripts, writing, before = null, selected, onSelect } = props
  const { script, prose } = useWritten(writing)
  const { read, number } = writing
  const isUsed = read !== null && read.drawing !== null && read.drawing === scripts.drawing
  const drawing = isUsed ? scripts.drawing : null
  const made = useMemo(() => blocksByLine(drawing), [drawing])
  const earlier = before?.read?.script ?? null
  const fresh = useMemo(
    () => (earlier === null || !script ? undefined : linesNotIn(script, earlier)),
    [script, earlier],
  )
  const problems = useMemo(() => {
    const last = isUsed ? (scripts.ended?.problem ?? null) : null
    return [...(read?.problems ?? []), ...(last?.line ? [last] : [])]
  }, [read, isUsed, scripts.ended])
  if (!script) return <Unwritten isOver={scripts.isOver} prose={prose} isRead={read !== null} />
  const chosen = isUsed ? chosenIn(selected, drawing, Infinity) : null
  return (
    <>
      <div className="flex h-8 shrink-0 items-center gap-2 border-b border-line pr-1 pl-3 text-xs text-ink-3">
        <h3 className="font-medium text-ink-2">
          {scripts.writings.length > 1 ? words.name(number) : words.only}
        </h3>
        {fresh ? (
          <span className="flex items-center gap-1.5">
            <span aria-hidden className="h-3 w-[3px] bg-good" />
            {words.changed}
          </span>
        ) : null}
        <span className="ml-auto">
          {read ? <CopyButton text={script} name={words.copy} /> : null}
        </span>
      </div>
      <CodeView
        label={words.lines(number)}
        script={script}
        problems={problems}
        lit={isUsed ? scripts.lit : undefined}
        fresh={fresh}
        isGrowing={read === null && !scripts.isOver}
        made={made}
        chosen={chosen?.line ?? null}
        onLine={(line) => onSelect(chosen?.line === line ? null : toChoose(line))}
        className="min-h-0 flex-1"
      />
    </>
  )

  /** Of a line that makes one thing, that thing. */
  function toChoose(line: number): string {
    const blocks = made.get(line) ?? []
    const [first] = blocks
    return first && blocks.length === 1 ? first.id : lineId(line)
  }
}

interface UnwrittenProps {
  isOver: boolean
  prose: string
  isRead: boolean
}

function Unwritten({ isOver, prose, isRead }: Readonly<UnwrittenProps>) {
  if (isOver || isRead)
    return <p className="p-4 text-ink-3">{isRead ? words.unread : words.none}</p>
  return (
    <div className="flex min-h-0 flex-col gap-2 overflow-auto p-4 text-ink-2">
      <p className="flex items-start gap-2">
        <Working />
        {prose ? words.prose : words.waits}
      </p>
      {prose ? (
        <p className="text-xs wrap-anywhere whitespace-pre-wrap text-ink-3">{prose}</p>
      ) : null}
    </div>
  )
}
