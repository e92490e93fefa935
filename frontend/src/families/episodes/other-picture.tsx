import { ScrollRegion } from '@/components/scroll-region'

import type { Picture } from './episode'
import { text } from './view-words'

const MOST_FACTS = 40
const MOST_CHARS = 4_000

/** A state that has no drawing here: its parts by name. A board is its text. */
export function OtherPicture({ picture }: Readonly<{ picture: Picture }>) {
  return (
    <ScrollRegion label={text.state} className="size-full overflow-auto">
      <dl className="mx-auto flex max-w-3xl flex-col gap-3">
        {Object.entries(picture)
          .slice(0, MOST_FACTS)
          .map(([name, value]) => (
            <div key={name} className="flex flex-col gap-0.5">
              <dt className="text-xs text-ink-3">{name}</dt>
              <dd>
                <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
                  {written(value)}
                </pre>
              </dd>
            </div>
          ))}
      </dl>
    </ScrollRegion>
  )
}

function written(value: unknown): string {
  const all = typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)
  return all.length > MOST_CHARS ? `${all.slice(0, MOST_CHARS)}…` : all
}
