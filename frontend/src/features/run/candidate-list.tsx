import { useState } from 'react'

import { Button } from '@/components/button'
import { ProbabilityBar } from '@/components/probability-bar'
import { wordsOf } from '@/graph/fold-event'
import type { CandidateView, StepView } from '@/graph/run-view'

import { text } from './run-strings'
import { VirtualList } from './virtual-list'

const TOP = 5
const ROW = 32

/** The probabilities an action was chosen with: the most probable and the chosen one, all on request. */
export function CandidateList({ step }: Readonly<{ step: StepView }>) {
  const [all, setAll] = useState(false)
  const sorted = [...step.candidates].sort(
    (a, b) => Number(a.masked) - Number(b.masked) || b.probability - a.probability,
  )
  const shown = all ? sorted : topOf(sorted, step.choice)
  return (
    <div className="flex flex-col gap-1.5">
      <VirtualList
        rows={shown}
        rowHeight={ROW}
        keyOf={(candidate) => candidate.action}
        className={all ? 'max-h-80' : ''}
        render={(candidate) => <Candidate candidate={candidate} choice={step.choice} />}
      />
      {sorted.length > TOP ? (
        <Button variant="quiet" size="sm" className="self-start" onPress={() => setAll(!all)}>
          {all ? text.build.top : text.build.all(sorted.length)}
        </Button>
      ) : null}
    </div>
  )
}

function topOf(sorted: readonly CandidateView[], choice: string): CandidateView[] {
  const top = sorted.slice(0, TOP)
  const chosen = sorted.find((candidate) => candidate.action === choice)
  return !chosen || top.includes(chosen) ? top : [...top, chosen]
}

function Candidate({ candidate, choice }: Readonly<{ candidate: CandidateView; choice: string }>) {
  const name = actionName(candidate.action)
  return (
    <ProbabilityBar
      label={candidate.masked ? `${name} (${text.build.masked})` : name}
      probability={candidate.probability}
      masked={candidate.masked}
      chosen={candidate.action === choice}
      {...(candidate.action === choice ? {} : { color: 'var(--line-strong)' })}
    />
  )
}

export function actionName(action: string): string {
  if (action === 'DELETE' || action === 'EXIT') return text.build[action]
  return wordsOf(action)
}
