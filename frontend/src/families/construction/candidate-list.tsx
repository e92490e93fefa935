import { useCallback, useState } from 'react'

import { Button } from '@/components/button'
import { ProbabilityBar } from '@/components/probability-bar'
import { useRoleName } from '@/components/run/use-roles'
import { VirtualList } from '@/components/virtual-list'

import type { CandidateView, StepView } from './steps'
import { text } from './words'

const TOP = 5
const ROW = 32

/** The probabilities an action was chosen with: the most probable and the chosen one, all on request. */
export function CandidateList({ step }: Readonly<{ step: StepView }>) {
  const [all, setAll] = useState(false)
  const nameOf = useActionName()
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
        {...(all ? { label: text.actions } : {})}
        render={(candidate) => (
          <Candidate
            candidate={candidate}
            name={nameOf(candidate.action)}
            isChosen={candidate.action === step.choice}
          />
        )}
      />
      {sorted.length > TOP ? (
        <Button variant="quiet" size="sm" className="self-start" onPress={() => setAll(!all)}>
          {all ? text.top : text.all(sorted.length)}
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

interface CandidateProps {
  candidate: CandidateView
  name: string
  isChosen: boolean
}

function Candidate({ candidate, name, isChosen }: Readonly<CandidateProps>) {
  return (
    <ProbabilityBar
      label={candidate.masked ? `${name} (${text.masked})` : name}
      probability={candidate.probability}
      masked={candidate.masked}
      chosen={isChosen}
      {...(isChosen ? {} : { color: 'var(--line-strong)' })}
    />
  )
}

/** The name of an action: of the role that it adds, or of what else it does. */
function useActionName(): (action: string) => string {
  const roleName = useRoleName()
  return useCallback(
    (action) => (action === 'DELETE' || action === 'EXIT' ? text[action] : roleName(action)),
    [roleName],
  )
}
