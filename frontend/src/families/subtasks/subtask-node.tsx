import type { Node, NodeProps } from '@xyflow/react'
import { Check, Flag, X } from 'lucide-react'
import { createContext, memo, use } from 'react'

import { cx } from '@/components/cx'
import { FarLabel, NodeFrame, useIsFar } from '@/components/run/canvas/node-frame'
import { VerdictBadge } from '@/components/verdict-badge'

import { Ordinal, SubtaskStatusIcon, SubtaskStatusLabel, subtaskSentence } from './subtask-look'
import type { CandidateStanding, SubtaskStatus, SubtaskView } from './task-graph'
import { useCandidateRole } from './use-subtasks'
import { text } from './view-words'
import { formatScore } from './why-picked'

export type SubtaskCard = Node<Record<string, never>, 'subtask'>

/** The subtasks on the canvas, by id. */
export const SubtasksContext = createContext<ReadonlyMap<string, SubtaskView>>(new Map())

const MOST_CANDIDATES = 3

const EDGE_OF_CARD: Readonly<Partial<Record<SubtaskStatus, string>>> = {
  waiting: 'border-line-strong/60 border-dashed',
  searching: 'border-accent border-dashed',
  asked: 'border-accent node-active',
  unsolved: 'border-bad',
  stopped: 'border-line-strong border-dashed',
  unreached: 'border-line-strong border-dashed opacity-70',
}

export const SubtaskNode = memo(function SubtaskNode({ id }: NodeProps<SubtaskCard>) {
  const subtask = use(SubtasksContext).get(id)
  const roleOf = useCandidateRole()
  const far = useIsFar()
  if (!subtask) return null
  return (
    <NodeFrame
      id={id}
      fresh={false}
      label={subtaskSentence(subtask, roleOf)}
      className={EDGE_OF_CARD[subtask.status] ?? 'border-line-strong/40'}
    >
      {far ? (
        <FarLabel
          name={subtask.result?.answer ?? text.status[subtask.status]}
          icon={(scale) => (
            <span className="flex items-center gap-2">
              <Ordinal subtask={subtask} size={30 * scale} />
              <StandingIcon subtask={subtask} size={22 * scale} />
            </span>
          )}
        />
      ) : (
        <NearCard subtask={subtask} />
      )}
    </NodeFrame>
  )
})

/** From far away right or wrong says more than that there is an answer. */
function StandingIcon({ subtask, size }: Readonly<{ subtask: SubtaskView; size: number }>) {
  const correct = subtask.result?.correct ?? null
  if (correct === null) return <SubtaskStatusIcon status={subtask.status} size={size} />
  const Icon = correct ? Check : X
  return (
    <Icon
      size={size}
      strokeWidth={2.5}
      aria-hidden
      className={correct ? 'text-good' : 'text-bad'}
    />
  )
}

function NearCard({ subtask }: Readonly<{ subtask: SubtaskView }>) {
  return (
    <>
      <span className="flex items-center gap-2 px-2.5 pt-2">
        <Ordinal subtask={subtask} />
        <SubtaskStatusLabel status={subtask.status} />
        {subtask.isFinal ? (
          <span className="ml-auto flex items-center gap-1 text-xs text-ink-3">
            <Flag size={12} aria-hidden />
            {text.final}
          </span>
        ) : null}
      </span>
      <span className="mx-2.5 mt-1 line-clamp-2 h-9 shrink-0 text-xs">{subtask.text}</span>
      <span className="mt-1.5 min-h-0 flex-1 border-t border-line px-2.5 pt-1.5 text-xs text-ink-2">
        {subtask.candidates.length > 0 ? (
          <Candidates candidates={subtask.candidates} />
        ) : (
          text.statusHelp[subtask.status]
        )}
      </span>
      <Answer subtask={subtask} />
    </>
  )
}

function Candidates({ candidates }: Readonly<{ candidates: readonly CandidateStanding[] }>) {
  const roleOf = useCandidateRole()
  const shown = topOf(candidates)
  return (
    <>
      {shown.map(({ score, isChosen }) => (
        <span
          key={score.agent_id}
          className={cx('flex items-baseline gap-1.5', isChosen && 'font-semibold text-ink')}
        >
          <span className="w-2 shrink-0 text-accent">{isChosen ? '●' : ''}</span>
          <span className="min-w-0 flex-1 truncate">
            {roleOf(score)} <span className="font-normal text-ink-3">{score.endpoint}</span>
          </span>
          <span>{formatScore(score.score)}</span>
        </span>
      ))}
    </>
  )
}

/** The best-ranked, and whose answer counts. */
function topOf(candidates: readonly CandidateStanding[]): readonly CandidateStanding[] {
  const chosen = candidates.find(({ isChosen }) => isChosen)
  if (!chosen || chosen.rank <= MOST_CANDIDATES) return candidates.slice(0, MOST_CANDIDATES)
  return [...candidates.slice(0, MOST_CANDIDATES - 1), chosen]
}

function Answer({ subtask: { result, candidates } }: Readonly<{ subtask: SubtaskView }>) {
  const hidden = candidates.length - MOST_CANDIDATES
  return (
    <span className="flex h-8 shrink-0 items-center gap-2 border-t border-line px-2.5">
      <span
        className={cx(
          'min-w-0 truncate',
          result?.answer == null ? 'text-xs text-ink-3' : 'text-sm font-semibold',
        )}
      >
        {result ? (result.answer ?? text.noAnswer) : ''}
      </span>
      {result && result.correct !== null ? <VerdictBadge plain correct={result.correct} /> : null}
      {hidden > 0 ? (
        <span className="ml-auto shrink-0 text-xs text-ink-3">{text.more(hidden)}</span>
      ) : null}
    </span>
  )
}
