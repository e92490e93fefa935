import { cx } from '@/components/cx'

export type Ends = readonly [low: number, high: number]

interface Props {
  rewards: readonly number[]
  ends: Ends
}

const WIDTH = 120

/** The rewards of a group as points between the step's least and most, the best one filled. */
export function RewardStrip({ rewards, ends: [low, high] }: Readonly<Props>) {
  const span = high - low || 1
  const best = Math.max(...rewards)
  return (
    <svg
      aria-hidden
      width={WIDTH + 12}
      height={16}
      className="shrink-0 overflow-visible text-ink-3"
    >
      <line x1={6} x2={WIDTH + 6} y1={8} y2={8} className="stroke-line" />
      {counted(rewards).map(([reward, count]) => (
        <circle
          key={reward}
          cx={6 + ((reward - low) / span) * WIDTH}
          cy={8}
          // The area is as the count.
          r={Math.min(7, 2.2 * Math.sqrt(count))}
          className={cx(
            'stroke-surface-1',
            reward === best ? 'fill-accent' : 'fill-ink-3 opacity-60',
          )}
        />
      ))}
    </svg>
  )
}

function counted(rewards: readonly number[]): [reward: number, count: number][] {
  const counts = new Map<number, number>()
  for (const reward of rewards) counts.set(reward, (counts.get(reward) ?? 0) + 1)
  return [...counts]
}
