import { useInfiniteQuery } from '@tanstack/react-query'
import { SearchX, X } from 'lucide-react'

import { Button } from '@/components/button'
import { Cell } from '@/components/cells'
import { cx } from '@/components/cx'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { FilterSelect } from '@/components/filter-select'
import { LongList } from '@/components/long-list'
import { TextLink } from '@/components/text-link'
import { VerdictBadge } from '@/components/verdict-badge'
import { formatCount, formatSeconds, shorten } from '@/lib/format'
import { useParam } from '@/lib/use-param'

import { text } from '@/strings/evaluations'

import { placeOf } from './task-place'
import { useArmName } from './use-arm-name'
import { isActive, resultList, type Evaluation, type Result, type Verdict } from './use-evaluations'
import { saidBy, whyOf, WHYS } from './why'

const { answers: words } = text
const VERDICTS: readonly Verdict[] = ['right', 'wrong', 'failed']
const COLUMNS =
  'lg:grid lg:grid-cols-[minmax(14rem,2fr)_minmax(7rem,0.7fr)_minmax(11rem,1.2fr)_7.5rem_4.5rem_4.5rem_3.5rem] lg:gap-x-4'

/** Every answer of every arm, to be searched and filtered, each with the way to its trace. */
export function AnswersView({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const nameOf = useArmName(evaluation)
  const [arm, setArm] = useParam('arm')
  const [verdictText, setVerdict] = useParam('verdict')
  const [q, setQuery] = useParam('q')
  const [whyText, setWhy] = useParam('why')
  const [taskText, setTask] = useParam('task')
  const verdict = VERDICTS.find((known) => known === verdictText) ?? null
  const why = whyOf(whyText)
  const task = placeOf(taskText)
  const list = useInfiniteQuery(
    resultList(evaluation.id, { arm, verdict, why, task, q: q ?? '' }, isActive(evaluation)),
  )
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
        <DelayedSearch
          label={words.search}
          className="col-span-2 sm:w-64"
          value={q ?? ''}
          onChange={setQuery}
        />
        <FilterSelect
          any={words.anyArm}
          label={words.columns.arm}
          options={evaluation.arms.map(({ label }) => ({ key: label, label: nameOf(label) }))}
          value={arm}
          onChange={setArm}
          className="sm:w-48"
        />
        <FilterSelect
          any={words.anyVerdict}
          label={words.columns.verdict}
          options={VERDICTS.map((key) => ({ key, label: words.verdicts[key] }))}
          value={verdict}
          onChange={setVerdict}
          className="sm:w-44"
        />
        <FilterSelect
          any={text.why.any}
          label={text.why.category}
          options={WHYS.map((key) => ({ key, label: text.why.categories[key] }))}
          value={why}
          onChange={setWhy}
          className="col-span-2 sm:w-48"
        />
        {task === null ? null : (
          <Button
            className="justify-self-start"
            onPress={() => setTask(null)}
            aria-label={words.everyTask(task)}
            icon={X}
          >
            {words.onlyTask(task)}
          </Button>
        )}
      </div>
      <LongList
        list={list}
        label={words.label}
        head={<Head />}
        keyOf={({ id }) => String(id)}
        render={(result) => <AnswerRow result={result} arm={nameOf(result.arm)} />}
        rowHeight={57}
        isGrowing={isActive(evaluation)}
        empty={
          <EmptyState icon={SearchX} title={words.emptyTitle}>
            {words.emptyBody}
          </EmptyState>
        }
      />
    </div>
  )
}

function Head() {
  const { task, arm, answer, verdict, tokens, seconds } = words.columns
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={cx(
        'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3',
        COLUMNS,
      )}
    >
      {[task, arm, answer, verdict].map((head) => (
        <span key={head} role="columnheader">
          {head}
        </span>
      ))}
      {[tokens, seconds].map((head) => (
        <span key={head} role="columnheader" className="text-right">
          {head}
        </span>
      ))}
      <span role="columnheader" className="sr-only">
        {words.trace}
      </span>
    </div>
  )
}

function AnswerRow({ result, arm }: Readonly<{ result: Result; arm: string }>) {
  const { task, repeat, answer, correct, failed, explanation, failure, why } = result
  return (
    <div
      className={cx(
        'flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2',
        COLUMNS,
      )}
    >
      <Cell className="w-full lg:w-auto">
        <span className="line-clamp-2" title={shorten(task.query, 300)}>
          <span className="text-ink-3">{task.index + 1} </span>
          {shorten(task.query, 240)}
        </span>
      </Cell>
      <Cell>
        <span className="block truncate" title={arm}>
          {arm}
        </span>
        {repeat > 0 ? <span className="text-xs text-ink-3">{words.repeat(repeat)}</span> : null}
      </Cell>
      <Cell className="w-full lg:w-auto">
        <span className={cx('line-clamp-2', (answer === null || failure) && 'text-ink-3')}>
          {failure ? failure.message : answer === null ? words.noAnswer : shorten(answer, 160)}
        </span>
        {task.reference === null ? null : (
          <span className="line-clamp-1 text-xs text-ink-3">
            {words.reference}: {shorten(task.reference, 120)}
          </span>
        )}
      </Cell>
      <Cell>
        <VerdictBadge plain correct={correct} failed={failed} title={explanation} />
        {result.cut_replies ? (
          <span
            className="block text-xs text-warn"
            title={words.cutHelp(formatCount(result.cut_replies), formatCount(result.replies))}
          >
            {result.final_cut ? words.finalCut : words.someCut}
          </span>
        ) : null}
        {why?.category ? (
          <span
            className="block text-xs text-ink-3"
            title={`${why.reason} (${saidBy(why.by, why.judge)})`}
          >
            {text.why.categories[why.category]}
          </span>
        ) : null}
      </Cell>
      <Cell className="text-xs lg:text-right lg:text-sm">
        <span className="text-ink-3 lg:hidden">{words.columns.tokens} </span>
        {formatCount(result.tokens)}
      </Cell>
      <Cell className="text-xs lg:text-right lg:text-sm">
        <span className="text-ink-3 lg:hidden">{words.columns.seconds} </span>
        {formatSeconds(result.seconds)}
      </Cell>
      <Cell className="ml-auto lg:ml-0">
        <TraceLink run={result.run} label={words.open(task.index, arm)} />
      </Cell>
    </div>
  )
}

export function TraceLink({ run, label }: Readonly<{ run: string | null; label: string }>) {
  if (run === null) return <span className="text-xs text-ink-3">{words.gone}</span>
  return (
    <TextLink to={`/runs/${run}`} aria-label={label} className="text-xs font-medium">
      {words.trace}
    </TextLink>
  )
}
