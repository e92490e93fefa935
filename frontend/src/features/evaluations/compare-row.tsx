import { useSearchParams } from 'react-router'

import { cx } from '@/components/cx'
import { TextLink } from '@/components/text-link'
import { VerdictBadge } from '@/components/verdict-badge'
import { formatCount, formatSeconds, shorten } from '@/lib/format'

import { TraceLink } from './answers-view'
import { text } from '@/strings/evaluations'

import { FROM_ROWS, taskSearch } from './task-place'
import type { Compared, Result } from './use-evaluations'

const { answers: words } = text
const COLUMNS = 'lg:grid lg:grid-cols-[1.2fr_1fr_1fr] lg:gap-x-5'

export function CompareHead({ left, right }: Readonly<{ left: string; right: string }>) {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={cx(
        'hidden border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3',
        COLUMNS,
      )}
    >
      <span role="columnheader">{words.columns.task}</span>
      <span role="columnheader" className="text-ink">
        {left}
      </span>
      <span role="columnheader" className="text-ink">
        {right}
      </span>
    </div>
  )
}

interface RowProps {
  row: Compared
  nameOf: (label: string) => string
}

export function CompareRow({ row, nameOf }: Readonly<RowProps>) {
  const { task, repeat } = row
  return (
    <div
      className={cx('flex flex-col gap-2 border-b border-line px-4 py-2.5 lg:items-start', COLUMNS)}
    >
      <div role="cell" className="min-w-0">
        <span className="line-clamp-3" title={shorten(task.query, 300)}>
          <span className="text-ink-3">{task.index + 1} </span>
          {shorten(task.query, 300)}
        </span>
        <span className="flex gap-3 text-xs text-ink-3">
          {task.reference === null ? null : (
            <span className="line-clamp-1">
              {words.reference}: {shorten(task.reference, 120)}
            </span>
          )}
          {repeat > 0 ? <span>{words.repeat(repeat)}</span> : null}
          <TracesLink index={task.index} repeat={repeat} />
        </span>
      </div>
      <Side result={row.left} arm={nameOf(row.left.arm)} />
      <Side result={row.right} arm={nameOf(row.right.arm)} />
    </div>
  )
}

function TracesLink({ index, repeat }: Readonly<{ index: number; repeat: number }>) {
  const [params] = useSearchParams()
  return (
    <TextLink
      to={{ search: taskSearch(params, index, repeat) }}
      state={FROM_ROWS}
      aria-label={text.compare.tracesOf(index)}
      className="font-medium"
    >
      {text.compare.traces}
    </TextLink>
  )
}

function Side({ result, arm }: Readonly<{ result: Result; arm: string }>) {
  const { answer, correct, failed, failure, explanation, task } = result
  return (
    <div role="cell" className="min-w-0 max-lg:border-l-2 max-lg:border-line max-lg:pl-3">
      <p className="text-xs text-ink-3 lg:hidden">{arm}</p>
      <p className={cx('line-clamp-2 font-medium', (answer === null || failure) && 'text-ink-3')}>
        {failure ? failure.message : answer === null ? words.noAnswer : shorten(answer, 200)}
      </p>
      <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-3">
        <VerdictBadge plain correct={correct} failed={failed} title={explanation} />
        <span>
          {formatCount(result.tokens)} {text.armTable.tokens.toLowerCase()}
        </span>
        <span>{formatSeconds(result.seconds)}</span>
        <TraceLink run={result.run} label={words.open(task.index, arm)} />
      </p>
    </div>
  )
}
