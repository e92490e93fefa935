import { Pause, Play, SkipForward } from 'lucide-react'
import { useMemo, useRef } from 'react'

import { useRun } from '@/components/run/run-context'
import { replayOf } from '@/components/run/run-store'
import { useRoleName } from '@/components/run/use-roles'
import { TipButton } from '@/components/tooltip'
import { ownEvents } from '@/graph/family'
import type { RunEvent } from '@/graph/frames'
import { agentNames } from '@/graph/names'
import type { AttemptView } from '@/graph/run-view'
import { formatSeconds } from '@/lib/format'

import { text as words } from '@/strings/replay'

/** Plays the run again, or goes to any of its moments. */
export function ReplayBar({ whole }: Readonly<{ whole: AttemptView }>) {
  const families = useRun((state) => state.families)
  const { moments } = useMemo(() => replayOf(whole, families), [whole, families])
  const moment = useRun((state) => state.moment)
  const playing = useRun((state) => state.playing)
  const seek = useRun((state) => state.seek)
  const play = useRun((state) => state.play)
  const describe = useDescription(whole)
  const slider = useRef<HTMLInputElement>(null)
  const last = moments.length - 1
  const shown = Math.min(moment ?? last, last)
  const event = moments[shown]?.event

  const toEnd = (): void => {
    seek(null)
    slider.current?.focus() // the button that was pressed is about to be of no use
  }
  const move = (to: number): void => {
    play(false)
    seek(to)
  }
  const start = moment === null ? words.again : words.play
  const toggle = playing ? words.pause : start
  if (!event) return null
  const told = words.at(shown + 1, moments.length, describe(event))
  return (
    <div role="group" aria-label={words.label} className="flex h-full items-center gap-2 px-2">
      <TipButton
        label={toggle}
        variant="quiet"
        onPress={() => play(!playing)}
        icon={playing ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
      />
      <input
        ref={slider}
        type="range"
        aria-label={words.moment}
        aria-valuetext={told}
        min={0}
        max={last}
        value={shown}
        onChange={({ target }) => move(Number(target.value))}
        className="h-7 min-w-24 flex-1 cursor-pointer accent-accent"
      />
      <p aria-hidden className="w-28 truncate text-xs text-ink-2 sm:w-56" title={told}>
        <span className="text-ink-3">{words.place(shown + 1, moments.length)}</span>{' '}
        {describe(event)}
      </p>
      <span className="hidden min-w-14 text-right text-xs whitespace-nowrap text-ink-3 sm:inline">
        {formatSeconds(Math.max(0, event.at - (moments[0]?.event.at ?? event.at)))}
      </span>
      <TipButton
        label={words.toEnd}
        variant="quiet"
        isDisabled={moment === null}
        onPress={toEnd}
        icon={SkipForward}
      />
    </div>
  )
}

/** What happens at an event, in a few words. */
function useDescription(whole: AttemptView): (event: RunEvent) => string {
  const names = useMemo(() => agentNames(whole.agents.values()), [whole])
  const families = useRun((state) => state.families)
  const roleName = useRoleName()
  const nameOf = (id: string | null): string => names.get(id ?? '') ?? id ?? ''
  return (event) => {
    for (const { moment } of ownEvents(families, event))
      if (moment) return moment(event, { whole, nameOf, roleName })
    switch (event.event) {
      case 'agent_started':
        return words.begins(nameOf(event.agent_id))
      case 'tool_called':
        return words.uses(nameOf(event.agent_id), event.tool)
      case 'agent_finished':
        return event.refused
          ? words.refuses(nameOf(event.agent_id))
          : words.says(nameOf(event.agent_id))
      case 'agent_failed':
        return words.fails(nameOf(event.agent_id))
      case 'run_started':
      case 'graph_planned':
      case 'answer_verified':
      case 'attempt_lost':
      case 'run_taken_up':
      case 'run_paused':
      case 'run_finished':
      case 'run_failed':
      case 'run_cancelled':
        return words[event.event]
      default:
        return ''
    }
  }
}
