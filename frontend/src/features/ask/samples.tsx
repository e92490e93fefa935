import { useQuery } from '@tanstack/react-query'

import { strings } from '@/strings/studio'
import { queries } from '@/lib/api/queries'
import { formatCompact } from '@/lib/format'

import { chosenEndpoint } from './choices'
import { useDraft } from './draft-store'

interface Sample {
  readonly label: string
  readonly query: string
}

/** One question per kind of work. */
const SAMPLES: readonly Sample[] = [
  {
    label: 'Word problem',
    query:
      'A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much money does she take in all?',
  },
  { label: 'Logic', query: 'All cats are animals. Tom is a cat. Is Tom an animal?' },
  { label: 'Fact', query: 'How many days does a leap year have?' },
  { label: 'Translation', query: 'How do you say “Good morning” in French?' },
]

/** Parameters of the smallest model that answers all of them rightly (docs/results.md). */
const NEED = 490_000_000

/** Questions to begin with, and what model they need where the chosen one is smaller. */
export function Samples() {
  const change = useDraft((draft) => draft.change)
  const endpoint = useDraft((draft) => draft.endpoint)
  const chosen = chosenEndpoint({ endpoint }, useQuery(queries.endpoints).data ?? [])
  const size = chosen?.parameters ?? NEED
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-xs text-ink-3">{strings.ask.samples}</span>
      {SAMPLES.map(({ label, query }) => (
        <button
          key={label}
          type="button"
          title={query}
          onClick={() => change({ query, task: null })}
          className="h-7 rounded-md border border-line bg-surface-1 px-2.5 text-xs text-ink-2 hover:border-line-strong hover:text-ink"
        >
          {label}
        </button>
      ))}
      {chosen && size < NEED ? (
        <p className="basis-full text-xs text-ink-3">
          {strings.ask.samplesNeed(chosen.name || chosen.key, formatCompact(size))}
        </p>
      ) : null}
    </div>
  )
}
