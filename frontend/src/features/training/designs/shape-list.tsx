import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { formatMetric } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import type { ShapeCount } from './use-designs'

const { shapes: words } = text

interface Props {
  shapes: readonly ShapeCount[]
  /** "": designs that can't be used. */
  chosen: string | null
  onChoose: (shape: string | null) => void
}

/** Which teams the designer tried in the step, how often, and how they did. */
export function ShapeList({ shapes, chosen, onChoose }: Readonly<Props>) {
  const most = Math.max(1, ...shapes.map(({ designs }) => designs))
  if (shapes.length === 0) return null
  return (
    <Card
      flush
      title={words.title}
      actions={
        chosen === null ? null : (
          <Button variant="quiet" size="sm" onPress={() => onChoose(null)}>
            {words.all}
          </Button>
        )
      }
    >
      <p className="px-4 pt-2.5 text-xs text-ink-3">{words.help}</p>
      <ul className="flex max-h-64 flex-col overflow-auto py-1.5">
        {shapes.map(({ shape, designs, reward }) => (
          <li key={shape}>
            <button
              type="button"
              aria-pressed={shape === chosen}
              onClick={() => onChoose(shape === chosen ? null : shape)}
              className={cx(
                'grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-1 text-left text-xs focus-visible:-outline-offset-2 sm:grid-cols-[minmax(0,1fr)_8rem_5.5rem_8rem]',
                shape === chosen ? 'bg-accent-soft' : 'hover:bg-surface-2',
              )}
            >
              <span
                className={cx(
                  'wrap-anywhere max-sm:col-span-2',
                  shape === '' ? 'text-bad' : 'font-mono',
                )}
              >
                {shape || words.unusable}
              </span>
              <span aria-hidden className="h-1.5 rounded-full bg-surface-3 max-sm:hidden">
                <span
                  className={cx('block h-full rounded-full', shape === '' ? 'bg-bad' : 'bg-accent')}
                  style={{ width: `${(100 * designs) / most}%` }}
                />
              </span>
              <span className="text-ink-2">{words.designs(designs)}</span>
              <span className="text-right text-ink-2">{words.mean(formatMetric(reward))}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
