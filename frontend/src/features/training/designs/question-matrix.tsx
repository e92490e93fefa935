import { ChevronRight, TriangleAlert } from 'lucide-react'
import { useState } from 'react'

import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { later } from '@/components/later'
import { QuestionText } from '@/components/question-text'
import { TakeIntoDesign } from '@/components/run/take-into-design'
import { ScrollRegion } from '@/components/scroll-region'
import { TextLink } from '@/components/text-link'
import { formatMetric, textOr } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import { advantageTold, cellAddress, columnsOf, ordinal, rowsOf } from './matrix'
import { RewardCell } from './reward-cell'
import type { Design, Question, ShapeCount } from './use-designs'

const { matrix: words } = text

/** Fetched with the first script that is opened. */
const CodeView = later(async () => (await import('@/families/scripts/code-view')).CodeView)

interface Props {
  job: string
  step: number
  question: Question
  shapes: readonly ShapeCount[]
  /** Other shapes stand back. */
  wanted: string | null
}

/** N designs in rows, M executions in columns, and at the end of a row what the designer earned. */
export function QuestionMatrix({ job, step, question, shapes, wanted }: Readonly<Props>) {
  const columns = columnsOf(question)
  const number = ordinal(question.question)
  const rows = rowsOf(question, shapes)
  return (
    <Card
      flush
      title={
        <>
          {text.question(number)}{' '}
          <span className="font-normal text-ink-3">{text.task(ordinal(question.task))}</span>
        </>
      }
    >
      <div className="flex flex-col gap-1 px-4 py-3">
        <QuestionText text={question.query} />
        <p className="text-xs text-ink-2">
          <span className="text-ink-3">{text.reference}: </span>
          {textOr(question.reference)}
        </p>
      </div>
      <ScrollRegion
        label={words.label(number)}
        className="overflow-x-auto border-t border-line focus-visible:-outline-offset-2"
      >
        <table className="w-full border-collapse text-sm whitespace-nowrap">
          <thead>
            <tr className="text-xs text-ink-3">
              <th scope="col" className="py-2 pr-3 pl-4 text-left font-medium">
                {words.design}
              </th>
              {Array.from({ length: columns }, (_, place) => (
                <th key={place} scope="col" className="px-1 py-2 text-center font-medium">
                  <span aria-hidden>{place + 1}</span>
                  <span className="sr-only">{words.execution(place + 1)}</span>
                </th>
              ))}
              <th
                scope="col"
                title={words.meanHelp}
                className="py-2 pr-3 pl-4 text-right font-medium"
              >
                {words.mean}
              </th>
              <th
                scope="col"
                title={words.advantageHelp}
                className="py-2 pr-4 pl-3 text-right font-medium"
              >
                {words.advantage}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((design, place) => (
              <DesignRow
                key={design.design}
                {...{ job, step, columns, design }}
                question={question.question}
                isFirst={rows[place - 1]?.shape !== design.shape}
                isFaint={wanted !== null && design.shape !== wanted}
              />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  )
}

interface RowProps {
  job: string
  step: number
  question: number
  columns: number
  design: Design
  /** Of its shape. */
  isFirst: boolean
  isFaint: boolean
}

function DesignRow(props: Readonly<RowProps>) {
  const { job, step, question, columns, design, isFirst, isFaint } = props
  const [isOpen, setIsOpen] = useState(false)
  const { executions, shape, problems } = design
  const isUsable = shape !== ''
  const look = cx(isFaint && 'opacity-60')
  const at = (execution: number) =>
    cellAddress(job, step, { question, design: design.design, execution })
  return (
    <>
      {isFirst ? (
        <tr className={look}>
          <th
            scope="colgroup"
            colSpan={columns + 3}
            className="border-t border-line bg-surface-0 px-4 py-1 text-left text-xs font-medium text-ink-2"
          >
            {isUsable ? (
              <code className="font-mono">{shape}</code>
            ) : (
              <span className="text-bad">{words.unusable}</span>
            )}
          </th>
        </tr>
      ) : null}
      <tr className={cx('border-t border-line', look)}>
        <th scope="row" className="py-1.5 pr-3 pl-4 text-left font-normal whitespace-nowrap">
          <span className="flex items-center gap-2">
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
              className="flex items-center gap-1 rounded-sm font-medium hover:text-accent"
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={cx('text-ink-3 transition-transform', isOpen && 'rotate-90')}
              />
              {words.design} {design.design}
              <span className="sr-only">{words.itsScript}</span>
            </button>
            {design.finish === 'length' ? (
              <Badge tone="warn" title={words.cutHelp}>
                {words.cut}
              </Badge>
            ) : null}
          </span>
        </th>
        {isUsable
          ? Array.from({ length: columns }, (_, place) => {
              const execution = executions[place]
              return (
                <td key={place} className="px-1 py-1.5 text-center">
                  {execution ? (
                    <RewardCell
                      design={design.design}
                      execution={execution}
                      to={at(execution.execution)}
                    />
                  ) : null}
                </td>
              )
            })
          : columns > 0 && (
              <td colSpan={columns} className="px-1 py-1.5 text-xs">
                <Unusable {...{ design }} to={at(0)} />
              </td>
            )}
        <td className="py-1.5 pr-3 pl-4 text-right font-medium">{formatMetric(design.reward)}</td>
        <td className="py-1.5 pr-4 pl-3 text-right font-medium">
          {advantageTold(design.advantage)}
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td
            colSpan={columns + 3}
            className="border-t border-line bg-surface-1 p-0 whitespace-normal"
          >
            {!isUsable && columns === 0 ? (
              <div className="px-4 pt-2 text-xs">
                <Unusable design={design} to={at(0)} />
              </div>
            ) : null}
            {design.script === '' ? null : (
              <div className="px-4 py-2">
                <TakeIntoDesign
                  from={{ from_sampled_design: { job, step, question, design: design.design } }}
                />
              </div>
            )}
            <CodeView
              label={words.lines(design.design)}
              script={design.script}
              problems={problems}
              className="max-h-96"
            />
          </td>
        </tr>
      ) : null}
    </>
  )
}

/** Why, in short; all of it stands beside the script. */
function Unusable({ design, to }: Readonly<{ design: Design; to: string }>) {
  const why = design.problems[0]?.message ?? words.unusable
  return (
    <TextLink
      to={to}
      aria-label={words.openUnusable(design.design, why)}
      className="inline-flex gap-1.5"
    >
      <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      {why}
    </TextLink>
  )
}
