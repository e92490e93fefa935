import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react'

import { TipButton } from '@/components/tooltip'

import { text } from './view-words'

interface Props {
  place: number
  last: number
  /** "Turn 2 of at most 4" */
  told: string
  isPlaying: boolean
  onPlay: (isPlaying: boolean) => void
  onChoose: (place: number) => void
}

export function TurnBar({ place, last, told, isPlaying, onPlay, onChoose }: Readonly<Props>) {
  return (
    <div
      role="group"
      aria-label={text.controls}
      className="flex h-10 shrink-0 items-center gap-1.5 border-t border-line px-2"
    >
      <TipButton
        label={isPlaying ? text.pause : text.play}
        variant="quiet"
        isDisabled={last === 0}
        onPress={() => onPlay(!isPlaying)}
        icon={isPlaying ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
      />
      <TipButton
        label={text.previous}
        variant="quiet"
        isDisabled={place <= 0}
        onPress={() => onChoose(place - 1)}
        icon={ChevronLeft}
      />
      <TipButton
        label={text.next}
        variant="quiet"
        isDisabled={place >= last}
        onPress={() => onChoose(place + 1)}
        icon={ChevronRight}
      />
      <input
        type="range"
        aria-label={text.slider}
        aria-valuetext={told}
        min={0}
        max={Math.max(1, last)}
        disabled={last === 0}
        value={place}
        onChange={({ target }) => onChoose(Number(target.value))}
        className="h-7 min-w-16 flex-1 cursor-pointer accent-accent"
      />
      <p aria-hidden className="text-xs whitespace-nowrap text-ink-2">
        {told}
      </p>
    </div>
  )
}
