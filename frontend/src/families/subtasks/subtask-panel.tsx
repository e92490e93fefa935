import { Flag, X } from 'lucide-react'

import { Button, IconButton } from '@/components/button'
import { Fact, Section } from '@/components/fact'
import { Notice } from '@/components/notice'
import { ProbabilityBar } from '@/components/probability-bar'
import type { PanelProps } from '@/components/run/family-views'
import { VerdictBadge } from '@/components/verdict-badge'
import { shortText } from '@/graph/text'

import { CandidateTable } from './candidate-table'
import { Ordinal, SubtaskStatusLabel } from './subtask-look'
import type { SearchView, SubtaskView } from './task-graph'
import { useCandidateRole, useSubtasks } from './use-subtasks'
import { text } from './view-words'
import { whyCounts } from './why-counts'
import { formatApart, formatScore, isNobodyMade, whyPicked } from './why-picked'
import { text as names } from './words'

const { panel: words } = text
/** Characters of another subtask's answer, on its button. */
const SHOWN_ANSWER = 40

/** Everything that is known about one subtask. */
export function SubtaskPanel({ id, onSelect, onAgent, bare = false }: Readonly<PanelProps>) {
  const subtasks = useSubtasks()
  const subtask = subtasks.find((each) => each.id === id)
  if (!subtask) return null
  const { search, candidates } = subtask
  return (
    <div className="flex flex-col">
      <PanelHead subtask={subtask} bare={bare} onClose={() => onSelect(null)} />
      {search && isNobodyMade(search) ? <NobodyMade search={search} /> : null}
      <Section title={words.dependsOn}>
        <Others
          ids={subtask.dependsOn}
          of={subtasks}
          none={words.dependsOnNone}
          {...{ onSelect }}
        />
      </Section>
      <Section title={words.neededBy}>
        <Others ids={subtask.neededBy} of={subtasks} none={words.neededByNone} {...{ onSelect }} />
      </Section>
      {search ? (
        <Section title={words.why}>
          <Why subtask={subtask} search={search} />
          {candidates.length > 0 ? (
            <CandidateTable search={search} candidates={candidates} onAgent={onAgent} />
          ) : null}
        </Section>
      ) : null}
      <Rewards subtask={subtask} />
      <Votes subtask={subtask} />
    </div>
  )
}

interface HeadProps {
  subtask: SubtaskView
  bare: boolean
  onClose: () => void
}

function PanelHead({ subtask, bare, onClose }: Readonly<HeadProps>) {
  const { result, status } = subtask
  return (
    <div className="flex flex-col gap-2.5 px-4 py-3">
      <div className="flex items-center gap-2.5">
        <Ordinal subtask={subtask} size={26} />
        {bare ? null : <h2 className="text-sm font-semibold">{names.name(subtask.ordinal)}</h2>}
        {subtask.isFinal ? (
          <span className="flex items-center gap-1 text-xs text-ink-3" title={text.finalHelp}>
            <Flag size={12} aria-hidden />
            {text.final}
          </span>
        ) : null}
        <span className="ml-auto">
          <SubtaskStatusLabel status={status} />
        </span>
        {bare ? null : (
          <IconButton label={words.close} onPress={onClose} icon={<X size={16} aria-hidden />} />
        )}
      </div>
      <p className="whitespace-pre-wrap">{subtask.text}</p>
      {text.statusHelp[status] ? (
        <p className="text-xs text-ink-3">{text.statusHelp[status]}</p>
      ) : null}
      <dl className="grid grid-cols-2 gap-x-3">
        <Fact name={words.answer} title={result?.answer ?? ''}>
          <span className="inline-flex max-w-full items-center gap-2">
            <span className="truncate">{result ? (result.answer ?? text.noAnswer) : '—'}</span>
            {result && result.correct !== null ? (
              <VerdictBadge plain correct={result.correct} />
            ) : null}
          </span>
        </Fact>
        <Fact name={words.reference} title={subtask.reference ?? ''}>
          {subtask.reference ?? <span className="font-normal text-ink-3">{words.unknown}</span>}
        </Fact>
      </dl>
    </div>
  )
}

function NobodyMade({ search }: Readonly<{ search: SearchView }>) {
  return (
    <div className="px-4 pb-3">
      <Notice tone="warn" title={text.nobody.title}>
        {text.nobody.body(...formatApart(search.nearest, search.threshold))}
      </Notice>
    </div>
  )
}

interface OthersProps {
  ids: readonly string[]
  of: readonly SubtaskView[]
  none: string
  onSelect: (id: string) => void
}

function Others({ ids, of, none, onSelect }: Readonly<OthersProps>) {
  const others = of.filter(({ id }) => ids.includes(id))
  if (others.length === 0) return <p className="text-ink-3">{none}</p>
  return (
    <ul className="flex flex-wrap gap-1.5">
      {others.map(({ id, ordinal, result }) => (
        <li key={id}>
          <Button size="sm" onPress={() => onSelect(id)}>
            {result?.answer == null
              ? names.name(ordinal)
              : `${names.name(ordinal)}: ${shortText(result.answer, SHOWN_ANSWER)}`}
          </Button>
        </li>
      ))}
    </ul>
  )
}

function Why({ subtask, search }: Readonly<{ subtask: SubtaskView; search: SearchView }>) {
  const roleOf = useCandidateRole()
  const [first] = search.candidates
  if (!first) return <p className="text-ink-3">{words.none}</p>
  const counts = whyCounts(subtask, (score) => text.by(roleOf(score), score.endpoint))
  return (
    <>
      <p>
        <b className="font-semibold">{text.by(roleOf(first), first.endpoint)}</b>
        {`. ${whyPicked(first, search)}`}
      </p>
      {counts === null ? null : <p>{counts}</p>}
    </>
  )
}

function Rewards({ subtask: { candidates } }: Readonly<{ subtask: SubtaskView }>) {
  const roleOf = useCandidateRole()
  const judged = candidates.flatMap(({ score, reward }) => (reward ? [{ score, reward }] : []))
  if (judged.length === 0) return null
  return (
    <Section title={words.rewards}>
      <ul className="flex flex-col gap-1.5 text-xs">
        {judged.map(({ score, reward }) => (
          <li key={score.agent_id} className="flex flex-col">
            <span className="flex gap-2">
              <span className="min-w-0 flex-1 truncate">
                {text.by(roleOf(score), score.endpoint)}
              </span>
              <b className="font-semibold">
                {reward.value === null ? '—' : formatScore(reward.value)}
              </b>
            </span>
            {reward.reason ? <span className="text-ink-3">{reward.reason}</span> : null}
            {reward.problem ? <span className="text-warn">{reward.problem}</span> : null}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Votes({ subtask: { result, candidates } }: Readonly<{ subtask: SubtaskView }>) {
  if (!result || (result.groups.length === 0 && result.rewards.size > 0)) return null
  return (
    <Section title={words.groups}>
      {result.groups.length === 0 ? <p className="text-ink-3">{words.nobodyVoted}</p> : null}
      {result.groups.map(({ answer, agentIds }, index) => (
        <ProbabilityBar
          key={answer}
          label={words.group(answer, agentIds.length)}
          probability={agentIds.length / candidates.length}
          chosen={index === 0}
        />
      ))}
    </Section>
  )
}
