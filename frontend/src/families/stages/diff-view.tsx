import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'

import { Badge } from '@/components/badge'
import { useAgentNames } from '@/components/run/use-agents'
import { WordDiff } from '@/components/word-diff'
import type { StageRecord } from '@/generated/events'

import { LongText, StatusLabel } from './look'
import { isEmpty, type StateDiff, type SubtaskChange } from './state-diff'
import { useNameOfRole } from './use-stages'
import { text } from './words'

const { state: words } = text

/** What changed between two states, field by field. */
export function DiffView({ diff }: Readonly<{ diff: StateDiff }>) {
  const { subtasks, active, hint, trouble, history } = diff
  const record = useRecord()
  if (isEmpty(diff)) return <p className="text-ink-3">{words.same}</p>
  return (
    <dl className="flex flex-col gap-2.5">
      {subtasks.map((change) => (
        <Field
          key={(change.after ?? change.before)?.id}
          name={text.subtask(change.ordinal)}
          aside={
            change.before === null ? (
              <Badge tone="accent">{words.added}</Badge>
            ) : change.after === null ? (
              <Badge tone="warn">{words.removed}</Badge>
            ) : null
          }
        >
          <SubtaskFields change={change} />
        </Field>
      ))}
      {diff.isReordered ? <Field name={text.plan.title}>{words.reordered}</Field> : null}
      {active ? (
        <Field name={words.fields.active}>
          <Change before={placeOf(active.before)} after={placeOf(active.after)} />
        </Field>
      ) : null}
      {trouble.added.length + trouble.removed.length > 0 ? (
        <Field name={words.fields.trouble}>
          {trouble.removed.map((line, index) => (
            <WordDiff key={`- ${index}`} before={line} after="" />
          ))}
          {trouble.added.map((line, index) => (
            <WordDiff key={`+ ${index}`} before="" after={line} />
          ))}
        </Field>
      ) : null}
      {hint ? (
        <Field name={words.fields.hint}>
          <WordDiff before={hint.before} after="" />
          <WordDiff before="" after={hint.after} />
        </Field>
      ) : null}
      {history.length > 0 ? (
        <Field name={words.fields.history}>
          {history.map((each) => (
            <WordDiff key={each.stage} before="" after={record(each)} />
          ))}
        </Field>
      ) : null}
    </dl>
  )
}

const placeOf = (ordinal: number): string => (ordinal > 0 ? text.subtask(ordinal) : words.nothing)

function useRecord(): (record: StageRecord) => string {
  const nameOf = useNameOfRole()
  return ({ stage, layers, verdict }) =>
    words.record(
      stage,
      layers.map((layer) => layer.map(nameOf).join(' + ')).join(' > '),
      text.phase[verdict],
    )
}

interface FieldProps {
  name: string
  aside?: ReactNode
  children: ReactNode
}

const Field = ({ name, aside, children }: Readonly<FieldProps>) => (
  <div className="flex flex-col gap-0.5">
    <dt className="flex items-center gap-2 text-xs text-ink-3">
      {name}
      {aside}
    </dt>
    <dd className="flex min-w-0 flex-col gap-1 wrap-anywhere">{children}</dd>
  </div>
)

function SubtaskFields({ change: { before, after } }: Readonly<{ change: SubtaskChange }>) {
  const nameOf = useAgentNames()
  const only = before === null ? after : after === null ? before : null
  if (only) return <LongText>{only.text}</LongText>
  if (!before || !after) return null
  return (
    <>
      {before.status === after.status ? null : (
        <Line name={words.fields.status}>
          <Change
            before={<StatusLabel status={before.status} />}
            after={<StatusLabel status={after.status} />}
          />
        </Line>
      )}
      {before.attempts === after.attempts ? null : (
        <Line name={words.fields.attempts}>
          <Change before={before.attempts} after={after.attempts} />
        </Line>
      )}
      {before.by === after.by ? null : (
        <Line name={words.fields.by}>
          <Change
            before={before.by === null ? words.nothing : nameOf(before.by)}
            after={after.by === null ? words.nothing : nameOf(after.by)}
          />
        </Line>
      )}
      {before.text === after.text ? null : (
        <Line name={words.fields.text}>
          <WordDiff before={before.text} after={after.text} />
        </Line>
      )}
      {before.artifact === after.artifact ? null : (
        <Line name={words.fields.artifact}>
          <div className="max-h-40 overflow-auto">
            <WordDiff before={before.artifact} after={after.artifact} />
          </div>
        </Line>
      )}
    </>
  )
}

const Line = ({ name, children }: Readonly<{ name: string; children: ReactNode }>) => (
  <div className="grid grid-cols-[4.5rem_1fr] gap-x-2 text-xs">
    <span className="text-ink-3">{name}</span>
    <div className="min-w-0">{children}</div>
  </div>
)

const Change = ({ before, after }: Readonly<{ before: ReactNode; after: ReactNode }>) => (
  <span className="inline-flex flex-wrap items-center gap-x-1.5">
    <span className="text-ink-2">{before}</span>
    <ArrowRight size={12} aria-hidden className="text-ink-3" />
    <span className="sr-only">{words.to}</span>
    <span className="font-medium">{after}</span>
  </span>
)
