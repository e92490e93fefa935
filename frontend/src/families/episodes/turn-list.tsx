import { ChevronRight } from 'lucide-react'

import { cx } from '@/components/cx'
import type { SideProps } from '@/components/run/family-views'

import { committedIn, rewardOf, type TurnView } from './episode'
import { resultOfTurn } from './results'
import { Reward } from './rewards'
import { TurnPartView } from './turn-part'
import { useEpisode } from './use-episode'
import { text } from './view-words'
import { text as words } from './words'

/** The turns up to the moment that is shown, the one on the board with what its agents said. */
export function TurnList({ selected, onSelect, onAgent }: Readonly<SideProps>) {
  const known = useEpisode(selected, onSelect)
  if (!known) return null
  const { episode, turns, numbers, shown, choose } = known
  return (
    <section aria-label={text.turns} className="flex flex-col">
      <div className="flex flex-col px-4 py-3">
        <h2 className="text-sm font-semibold">{text.turns}</h2>
        <p className="text-xs text-ink-3">{episode.name}</p>
      </div>
      <ol className="flex flex-col">
        {turns.map((turn) => (
          <TurnItem
            key={turn.number}
            turn={turn}
            isShown={turn.number === shown.number}
            onChoose={() => choose(numbers.indexOf(turn.number))}
            onAgent={onAgent}
          />
        ))}
      </ol>
    </section>
  )
}

interface ItemProps {
  turn: TurnView
  isShown: boolean
  onChoose: () => void
  onAgent: (id: string) => void
}

function TurnItem({ turn, isShown, onChoose, onAgent }: Readonly<ItemProps>) {
  const committed = committedIn(turn)
  return (
    <li className="border-t border-line">
      <button
        type="button"
        aria-expanded={isShown}
        onClick={onChoose}
        className="flex w-full items-start gap-2 px-4 py-2 text-left hover:bg-surface-2 focus-visible:-outline-offset-2"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={cx('mt-0.5 shrink-0 text-ink-3 transition-transform', isShown && 'rotate-90')}
        />
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="font-medium">{words.turn(turn.number)}</span>
          {isShown ? null : <span className="text-xs text-ink-3">{resultOfTurn(turn)}</span>}
        </span>
        {committed ? <Reward value={rewardOf(committed)} /> : null}
      </button>
      {isShown
        ? turn.parts.map((part) => (
            <TurnPartView key={part.agentId} part={part} before={turn.before} onAgent={onAgent} />
          ))
        : null}
    </li>
  )
}
