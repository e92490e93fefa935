import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'

import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { Fact } from '@/components/fact'
import { QueryState } from '@/components/query-state'
import { QuestionText } from '@/components/question-text'
import { TakeIntoDesign } from '@/components/run/take-into-design'
import { TextLink } from '@/components/text-link'
import { VerdictBadge } from '@/components/verdict-badge'
import { SystemView } from '@/features/training/sample-view'
import { jobQuery, type Training } from '@/features/training/use-training'
import { formatCount, formatMetric, textOr } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import { DesignFrame } from './design-frame'
import { advantageTold, cellAddress, ordinal, stepAddress } from './matrix'
import { RewardCell } from './reward-cell'
import {
  executionQuery,
  questionQuery,
  type Cell,
  type ExecutionTrace,
  type Question,
} from './use-designs'

const { execution: words } = text

/** One execution of a design as on a run's page, with the ways to the others of its question. */
export function ExecutionPage() {
  const params = useParams()
  const { id = '' } = params
  const [step, question, design, execution] = [
    params.step,
    params.question,
    params.design,
    params.execution,
  ].map(Number) as [number, number, number, number]
  const cell: Cell = { question, design, execution }
  const found = useQuery(executionQuery(id, step, cell))
  const job = useQuery(jobQuery(id)).data
  return (
    <DesignFrame
      job={id}
      step={step}
      title={execution > 0 ? words.title(design, execution) : words.unusable(design)}
      crumb={<TextLink to={stepAddress(id, step)}>{text.title(formatCount(step))}</TextLink>}
    >
      <QueryState of={found} />
      {found.data && job ? (
        <Card flush title={text.question(ordinal(question))}>
          <Told
            key={`${question}/${design}/${execution}`}
            {...{ job, step, cell }}
            trace={found.data}
          />
        </Card>
      ) : null}
    </DesignFrame>
  )
}

interface ToldProps {
  job: Training
  step: number
  cell: Cell
  trace: ExecutionTrace
}

function Told({ job, step, cell, trace }: Readonly<ToldProps>) {
  const id = `design-${step}-${cell.question}-${cell.design}-${cell.execution}`
  const { query, answer, events, graph } = trace
  return (
    <SystemView
      job={job}
      system={{ id, query, answer, events, graph }}
      list={<Others {...{ job, step, cell }} />}
      facts={<Facts job={job.id} trace={trace} />}
    />
  )
}

/** The executions of the question's designs, a row for each design. */
function Others({ job, step, cell }: Readonly<Omit<ToldProps, 'trace'>>) {
  const question = useQuery(questionQuery(job.id, step, cell.question)).data
  return (
    <nav
      aria-label={words.others}
      className="max-h-44 min-h-24 shrink-0 overflow-auto border-b border-line px-3 py-2"
    >
      {question ? <Rows {...{ job, step, cell, question }} /> : null}
    </nav>
  )
}

interface RowsProps extends Omit<ToldProps, 'trace'> {
  question: Question
}

const Rows = ({ job, step, cell, question }: Readonly<RowsProps>) => (
  <ol className="flex flex-col gap-1">
    {question.designs.map((design) => {
      const at = (execution: number) =>
        cellAddress(job.id, step, { ...cell, design: design.design, execution })
      const isHere = design.design === cell.design
      return (
        <li key={design.design} className="flex items-center gap-2">
          <span className={cx('w-18 shrink-0 text-xs', isHere ? 'font-semibold' : 'text-ink-2')}>
            {words.unusable(design.design)}
          </span>
          <span className="flex flex-wrap gap-1">
            {design.executions.map((execution) => (
              <RewardCell
                key={execution.execution}
                design={design.design}
                execution={execution}
                to={at(execution.execution)}
                isHere={isHere && execution.execution === cell.execution}
              />
            ))}
            {design.executions.length === 0 ? (
              <TextLink to={at(0)} className="text-xs">
                {text.matrix.unusable}
              </TextLink>
            ) : null}
          </span>
        </li>
      )
    })}
  </ol>
)

function Facts({ job, trace }: Readonly<{ job: string; trace: ExecutionTrace }>) {
  const isExecuted = trace.execution > 0
  return (
    <div className="flex flex-col gap-1.5 px-4 py-3">
      <QuestionText text={trace.query} />
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        {isExecuted ? (
          <>
            <Fact name={words.answer}>
              <span className="inline-flex items-center gap-1.5">
                {textOr(trace.answer, text.matrix.noAnswer)}
                <VerdictBadge correct={trace.correct} />
              </span>
            </Fact>
            <Fact name={text.reference}>{textOr(trace.reference)}</Fact>
            <Fact name={words.reward}>{formatMetric(trace.reward)}</Fact>
            <Fact name={words.advantage}>{advantageTold(trace.advantage)}</Fact>
          </>
        ) : null}
        <Fact name={words.designReward}>{formatMetric(trace.design_reward)}</Fact>
        <Fact name={words.designAdvantage}>{advantageTold(trace.design_advantage)}</Fact>
      </dl>
      <IntoDesign {...{ job, trace }} />
      {isExecuted && !trace.learned ? (
        <p className="text-xs text-ink-3">{words.notLearned}</p>
      ) : null}
    </div>
  )
}

/** Nothing for a reply without a script. */
function IntoDesign({ job, trace }: Readonly<{ job: string; trace: ExecutionTrace }>) {
  const { step, question, design } = trace
  const designs = useQuery(questionQuery(job, step, question)).data?.designs
  if (!designs?.find((each) => each.design === design)?.script) return null
  return (
    <div>
      <TakeIntoDesign from={{ from_sampled_design: { job, step, question, design } }} />
    </div>
  )
}
