import type { ReactNode } from 'react'

import { cx } from '@/components/cx'
import { FamilyTile, StatusIcon } from '@/components/run/agent-look'
import { ScrollRegion } from '@/components/scroll-region'
import { formatMetric, UNKNOWN } from '@/lib/format'

import type { CandidateStanding, SearchView } from './task-graph'
import { useCandidateRole } from './use-subtasks'
import { text } from './view-words'
import { formatApart, formatScore, isSuited } from './why-picked'

const { rows: words } = text

interface Props {
  search: SearchView
  candidates: readonly CandidateStanding[]
  onAgent: (id: string) => void
}

/** Candidates side by side: what made each of them one, and what it answered. */
export function CandidateTable({ search, candidates, onAgent }: Readonly<Props>) {
  const hasRewards = candidates.some(({ reward }) => reward !== null)
  return (
    <>
      <ScrollRegion
        label={text.panel.candidates}
        className="-mx-4 overflow-x-auto focus-visible:-outline-offset-2"
      >
        <table className="w-full border-collapse text-xs [&_td]:min-w-[5.5rem] [&_td]:px-2 [&_td]:py-1.5 [&_td]:align-top [&_th]:px-2 [&_th]:py-1.5 [&_th]:text-left [&_th]:align-top">
          <thead>
            <tr className="border-y border-line">
              <RowHead>{words.head}</RowHead>
              {candidates.map((each) => (
                <ColumnHead key={each.score.agent_id} candidate={each} onAgent={onAgent} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Row name={words.similarity} of={candidates}>
              {(each) => <Similarity candidate={each} search={search} />}
            </Row>
            <Row name={words.performance} of={candidates}>
              {({ score }) => (
                <Number value={formatScore(score.performance)}>
                  {words.profile(formatScore(score.reward), formatMetric(score.cost))}
                </Number>
              )}
            </Row>
            <Row name={words.exploration} of={candidates}>
              {({ score }) => (
                <Number value={formatScore(score.exploration)}>
                  {words.chosen(score.count, search.selections)}
                </Number>
              )}
            </Row>
            <Row name={words.score} of={candidates}>
              {({ score }) => <b className="font-semibold">{formatScore(score.score)}</b>}
            </Row>
            {hasRewards ? (
              <Row name={words.reward} of={candidates}>
                {({ reward }) => (reward?.value == null ? UNKNOWN : formatScore(reward.value))}
              </Row>
            ) : null}
            <Row name={words.answer} of={candidates}>
              {(each) => <Answer candidate={each} />}
            </Row>
          </tbody>
        </table>
      </ScrollRegion>
      <p className="text-xs text-ink-3">{words.legend}</p>
    </>
  )
}

function RowHead({ children }: Readonly<{ children: ReactNode }>) {
  return (
    <th
      scope="row"
      className="sticky left-0 bg-surface-1 !pl-4 font-normal whitespace-nowrap text-ink-3"
    >
      {children}
    </th>
  )
}

interface RowProps {
  name: string
  of: readonly CandidateStanding[]
  children: (candidate: CandidateStanding) => ReactNode
}

function Row({ name, of, children }: Readonly<RowProps>) {
  return (
    <tr className="border-b border-line">
      <RowHead>{name}</RowHead>
      {of.map((each) => (
        <td key={each.score.agent_id} className={cx(each.isChosen && 'bg-accent-soft')}>
          {children(each)}
        </td>
      ))}
    </tr>
  )
}

function ColumnHead({
  candidate: { score, agent, isChosen },
  onAgent,
}: Readonly<{ candidate: CandidateStanding; onAgent: (id: string) => void }>) {
  const role = useCandidateRole()(score)
  return (
    <th scope="col" className={cx('min-w-[5.5rem]', isChosen && 'bg-accent-soft')}>
      <span className="flex items-center gap-1.5">
        <FamilyTile family={agent?.family ?? null} size={18} />
        {agent ? <StatusIcon status={agent.status} size={12} named /> : null}
        {isChosen ? (
          <span className="font-medium whitespace-nowrap text-ink">{text.counts}</span>
        ) : null}
      </span>
      {agent ? (
        <button
          type="button"
          aria-label={text.panel.open(role, score.endpoint)}
          onClick={() => onAgent(score.agent_id)}
          className="block rounded-sm text-left font-semibold text-accent underline underline-offset-2"
        >
          {role}
        </button>
      ) : (
        <span className="block font-semibold">{role}</span>
      )}
      <span className="font-normal text-ink-3">{score.endpoint}</span>
    </th>
  )
}

function Number({ value, children }: Readonly<{ value: string; children: ReactNode }>) {
  return (
    <span className="flex flex-col">
      <span>{value}</span>
      <span className="text-ink-3">{children}</span>
    </span>
  )
}

function Similarity({
  candidate: { score },
  search: { threshold },
}: Readonly<{ candidate: CandidateStanding; search: SearchView }>) {
  const sides = formatApart(score.inner_product, threshold)
  return (
    <Number value={(isSuited(score, threshold) ? words.reached : words.missed)(...sides)}>
      {words.gate(formatMetric(score.similarity))}
    </Number>
  )
}

function Answer({ candidate: { agent } }: Readonly<{ candidate: CandidateStanding }>) {
  if (agent?.endedAt == null) return UNKNOWN
  return agent.answer ?? <span className="text-ink-3">{text.noAnswer}</span>
}
