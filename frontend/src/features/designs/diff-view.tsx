import type { ReactNode } from 'react'

import { WordDiff } from '@/components/word-diff'

import { isEmpty, nameIn, type DesignDiff, type FieldChange } from './design-diff'
import { text } from '@/strings/designs'
import type { DesignSpec } from './edits'

const words = text.versions

interface Props {
  diff: DesignDiff
  before: DesignSpec
  after: DesignSpec
}

/** What has changed, agent by agent, then who reads whom. */
export function DiffView({ diff, before, after }: Readonly<Props>) {
  if (isEmpty(diff)) return <p className="text-xs text-ink-2">{words.same}</p>
  return (
    <div className="flex flex-col gap-2 rounded-md bg-surface-0 p-3 text-xs">
      {diff.script ? (
        <Line mark="~" tone="text-warn">
          {words.script}
          <div className="whitespace-pre-wrap">
            <Change change={diff.script} />
          </div>
        </Line>
      ) : null}
      {diff.added.map((agent) => (
        <Line key={agent.id} mark="+" tone="text-good">
          {words.added}: {nameIn(after, agent.id)}
        </Line>
      ))}
      {diff.removed.map((agent) => (
        <Line key={agent.id} mark="−" tone="text-bad">
          {words.removed}: {nameIn(before, agent.id)}
        </Line>
      ))}
      {diff.changed.map(({ agent, fields }) => (
        <Line key={agent.id} mark="~" tone="text-warn">
          {words.changed}: {nameIn(after, agent.id)}
          {fields.map((change) => (
            <Change key={change.field} change={change} />
          ))}
        </Line>
      ))}
      {diff.connected.map(({ source, target }) => (
        <Line key={`${source} ${target}`} mark="+" tone="text-good">
          {words.nowReads(nameIn(after, target), nameIn(after, source))}
        </Line>
      ))}
      {diff.disconnected.map(({ source, target }) => (
        <Line key={`${source} ${target}`} mark="−" tone="text-bad">
          {words.noLonger(nameIn(before, target), nameIn(before, source))}
        </Line>
      ))}
      {diff.answer ? (
        <Line mark="~" tone="text-warn">
          {words.answer}
          <Change
            change={{
              field: '',
              before: diff.answer.before || words.nobody,
              after: diff.answer.after || words.nobody,
            }}
          />
        </Line>
      ) : null}
      {diff.summary === null ? null : (
        <Line mark="~" tone="text-warn">
          {words.summary}: {diff.summary ? words.on : words.off}
        </Line>
      )}
      {diff.temperature ? (
        <Line mark="~" tone="text-warn">
          {words.summary}
          <Change change={diff.temperature} />
        </Line>
      ) : null}
    </div>
  )
}

interface LineProps {
  mark: string
  tone: string
  children: ReactNode
}

function Line({ mark, tone, children }: Readonly<LineProps>) {
  return (
    <div className="flex gap-2">
      <span aria-hidden className={`w-3 shrink-0 text-center font-semibold ${tone}`}>
        {mark}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}

function Change({ change }: Readonly<{ change: FieldChange }>) {
  return (
    <div className="mt-1 flex flex-col gap-0.5">
      {change.field ? <span className="text-ink-3">{change.field.replace('_', ' ')}</span> : null}
      <WordDiff before={change.before || '—'} after={change.after || '—'} />
    </div>
  )
}
