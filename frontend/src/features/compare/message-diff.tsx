import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'react'

import { Card } from '@/components/card'
import { Markdown } from '@/components/markdown'
import type { OverlayNode } from '@/graph/overlay'
import { tokensOf } from '@/graph/totals'
import { formatCount, formatSeconds } from '@/lib/format'

import { text } from './compare-strings'

/** Longer texts are shown side by side alone: comparing word by word takes time in the square of them. */
const DIFF_CHARS = 20_000
const DIFF_MS = 300

/** What the agent said on each side, and word by word what changed. */
export function MessageDiff({ node }: Readonly<{ node: OverlayNode }>) {
  const { name, left, right } = node
  const [ours, theirs] = [left?.message ?? '', right?.message ?? '']
  return (
    <section aria-label={name} className="flex flex-col gap-4">
      <div className="grid gap-4 lg:grid-cols-2">
        {[left, right].map((agent, index) => (
          <Card key={index} title={`${index === 0 ? text.left : text.right}: ${name}`}>
            {agent?.message ? (
              <>
                <p className="pb-2 text-xs text-ink-3">
                  {formatCount(tokensOf(agent.usage))} {text.facts.tokens.toLowerCase()},{' '}
                  {formatSeconds(agent.seconds)}
                </p>
                <div className="max-h-[50dvh] overflow-auto">
                  <Markdown text={agent.message} />
                </div>
              </>
            ) : (
              <p className="text-ink-3">{agent ? text.silent : text.sides[node.side]}</p>
            )}
          </Card>
        ))}
      </div>
      {ours && theirs && Math.max(ours.length, theirs.length) <= DIFF_CHARS ? (
        <Card title={text.changed}>
          <Diff ours={ours} theirs={theirs} />
        </Card>
      ) : null}
    </section>
  )
}

function Diff({ ours, theirs }: Readonly<{ ours: string; theirs: string }>) {
  const parts = useMemo(
    () => diffWordsWithSpace(ours, theirs, { timeout: DIFF_MS }),
    [ours, theirs],
  )
  if (!parts) return <p className="text-ink-2">{text.tooDifferent}</p>
  if (ours === theirs) return <p className="text-ink-2">{text.same}</p>
  return (
    <p className="max-h-[50dvh] overflow-auto whitespace-pre-wrap">
      {parts.map(({ value, added, removed }, index) => {
        if (added)
          return (
            <ins key={index} className="rounded-sm bg-good-soft text-good">
              <span className="sr-only">{text.added} </span>
              {value}
            </ins>
          )
        if (removed)
          return (
            <del key={index} className="rounded-sm bg-bad-soft text-bad">
              <span className="sr-only">{text.removed} </span>
              {value}
            </del>
          )
        return <span key={index}>{value}</span>
      })}
    </p>
  )
}
