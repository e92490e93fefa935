import { History } from 'lucide-react'
import { Fragment, useEffect, useRef } from 'react'

import { cx } from '@/components/cx'
import { useRun } from '@/components/run/run-context'
import { useAgents } from '@/components/run/use-agents'
import { ROVING, useRoving } from '@/lib/use-roving'

import { PhaseLabel } from './look'
import {
  askedIn,
  chosenIn,
  nextAfter,
  ordinalIn,
  phaseOf,
  toldOf,
  upcoming,
  type StageView,
} from './stages'
import { WorkflowDrawing } from './workflow-drawing'
import { text } from './words'

interface Props {
  stages: readonly StageView[]
  shown: StageView | null
  isOver: boolean
  onChoose: (number: number) => void
}

/** The workflows one after the other; the shown one stays in view. */
export function StageStrip({ stages, shown, isOver, onChoose }: Readonly<Props>) {
  const scroller = useRef<HTMLDivElement>(null)
  const roving = useRoving('right')
  const takenUp = useRun(({ attempt }) => toldOf(attempt).takenUp)
  const next = upcoming(stages, isOver)
  const current = shown?.number
  useEffect(() => {
    const box = scroller.current
    const card = box?.querySelector<HTMLElement>('[aria-current]')
    if (box && card) box.scrollLeft = card.offsetLeft - (box.clientWidth - card.offsetWidth) / 2
  }, [current, next])
  return (
    <div ref={scroller} className="relative shrink-0 overflow-x-auto border-b border-line">
      <ol {...roving} aria-label={text.strip.label} className="flex w-max gap-2 p-2">
        {stages.map((stage, index) => (
          <Fragment key={stage.number}>
            <li>
              <StageCard
                stage={stage}
                isShown={stage.number === current}
                isOver={isOver}
                onChoose={onChoose}
              />
            </li>
            {takenUp.includes(index + 1) ? (
              <li
                title={text.lost}
                className="flex w-24 flex-col items-center justify-center gap-1 border-x border-dashed border-line-strong px-1 text-center text-xs text-ink-2"
              >
                <History size={14} aria-hidden />
                {text.takenUp(nextAfter(stages, index + 1))}
              </li>
            ) : null}
          </Fragment>
        ))}
        {next === null ? null : (
          <li className={cx(CARD, 'justify-center border-dashed text-center text-xs text-ink-3')}>
            {text.strip.planning(next)}
          </li>
        )}
      </ol>
    </div>
  )
}

const CARD = 'flex h-32 w-40 flex-col rounded-md border border-line px-2 py-1.5 lg:h-40'

interface CardProps {
  stage: StageView
  isShown: boolean
  isOver: boolean
  onChoose: (number: number) => void
}

function StageCard({ stage, isShown, isOver, onChoose }: Readonly<CardProps>) {
  const agents = useAgents()
  const { number, planned, layers, assessed } = stage
  const phase = phaseOf(stage, agents, isOver)
  const ordinal = ordinalIn(planned.state, planned.state.active)
  const workflow = layers.map((layer) =>
    chosenIn(layer, agents)
      .map(({ candidate }) => candidate.name)
      .join(' + '),
  )
  const sure = assessed ? text.strip.sure(assessed.assessment.confidence) : ''
  return (
    <button
      type="button"
      {...ROVING}
      aria-current={isShown ? 'step' : undefined}
      onClick={() => onChoose(number)}
      className={cx(
        CARD,
        'items-stretch text-left hover:bg-surface-2 focus-visible:-outline-offset-2',
        isShown && 'border-accent bg-accent-soft shadow-[inset_0_0_0_1px_var(--accent)]',
      )}
    >
      <span className="flex items-baseline justify-between gap-1">
        <b className="text-xs font-semibold">{text.stage(number)}</b>
        {ordinal > 0 ? <span className="text-xs text-ink-2">{text.subtask(ordinal)}</span> : null}
      </span>
      <span className="flex min-h-0 flex-1 items-center justify-center">
        <span className="sr-only">
          {`: ${askedIn(planned.state)} `}
          {workflow.length > 0 ? `${text.strip.workflow(workflow)}. ` : ''}
        </span>
        <WorkflowDrawing layers={layers} />
      </span>
      <span className="flex items-center justify-between gap-1 text-xs text-ink-2">
        <PhaseLabel phase={phase} />
        <span className="whitespace-nowrap">{sure}</span>
      </span>
    </button>
  )
}
