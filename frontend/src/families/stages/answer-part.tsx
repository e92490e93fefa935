import { useMemo, useState } from 'react'

import { Button } from '@/components/button'
import { Section } from '@/components/fact'
import { useRun } from '@/components/run/run-context'
import { SourceList } from '@/components/source-list'
import type { Source } from '@/graph/frames'
import { hasStopped } from '@/graph/run-view'

import { sourcesOf } from './sources'
import { endingOf, stagesOf } from './stages'
import { text } from './words'

const { answer: words } = text
const AT_FIRST = 6

/** Why the run ended, and where its answer comes from. */
export function AnswerPart() {
  const ended = useRun(({ attempt }) => (attempt && hasStopped(attempt) ? attempt : null))
  const sources = useMemo(() => (ended ? sourcesOf(ended) : null), [ended])
  const ending = useRun(({ attempt }) => endingOf(stagesOf(attempt)))
  return (
    <>
      {ending ? (
        <Section title={text.ending[ending]}>
          <p className="text-ink-2">{text.endingHelp[ending]}</p>
        </Section>
      ) : null}
      {sources && sources.named.length + sources.read.length > 0 ? (
        <Section title={words.sources}>
          <Part title={words.named} sources={sources.named} />
          <Part title={words.read} sources={sources.read} />
        </Section>
      ) : null}
    </>
  )
}

function Part({ title, sources }: Readonly<{ title: string; sources: readonly Source[] }>) {
  const [isWhole, setIsWhole] = useState(false)
  if (sources.length === 0) return null
  const more = sources.length - AT_FIRST
  return (
    <div className="flex flex-col items-start gap-1">
      <h4 className="text-xs text-ink-3">{title}</h4>
      <SourceList label={title} sources={isWhole ? sources : sources.slice(0, AT_FIRST)} />
      {more > 0 ? (
        <Button
          variant="quiet"
          size="sm"
          aria-expanded={isWhole}
          onPress={() => setIsWhole(!isWhole)}
        >
          {isWhole ? words.less : words.more(more)}
        </Button>
      ) : null}
    </div>
  )
}
