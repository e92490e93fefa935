import { Card } from '@/components/card'
import { Markdown } from '@/components/markdown'
import { WordDiff } from '@/components/word-diff'
import type { OverlayNode } from '@/graph/overlay'
import { tokensOf } from '@/graph/totals'
import { formatCount, formatSeconds } from '@/lib/format'

import { text } from './compare-strings'

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
      {ours && theirs ? (
        <Card title={text.changed}>
          <Diff ours={ours} theirs={theirs} />
        </Card>
      ) : null}
    </section>
  )
}

function Diff({ ours, theirs }: Readonly<{ ours: string; theirs: string }>) {
  if (ours === theirs) return <p className="text-ink-2">{text.same}</p>
  return (
    <WordDiff
      before={ours}
      after={theirs}
      words={text}
      otherwise={<p className="text-ink-2">{text.tooDifferent}</p>}
    />
  )
}
