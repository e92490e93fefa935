import type { SideProps } from '@/components/run/family-views'

import { AnswerPart } from './answer-part'
import { PlanList } from './plan-list'
import { StageDetail } from './stage-detail'
import { stateOf } from './stages'
import { useStages } from './use-stages'
import { text } from './words'

/** The plan, what the answer rests on, and all of the shown stage. */
export function StageSide({ selected, onSelect, onAgent }: Readonly<SideProps>) {
  const { stages, shown, isOver } = useStages(selected, onSelect)
  return (
    <section aria-label={text.side} className="flex flex-col">
      <PlanList state={stateOf(stages)} onAgent={onAgent} />
      <AnswerPart />
      {shown ? (
        <StageDetail key={shown.number} stage={shown} isOver={isOver} onAgent={onAgent} />
      ) : null}
    </section>
  )
}
