import { Check, Hourglass, OctagonPause, X, type LucideIcon } from 'lucide-react'

import { Badge, type Tone } from '@/components/badge'

import type { Standing } from './episode'
import { text } from './view-words'

const LOOKS: Readonly<Record<Standing, readonly [tone: Tone, icon: LucideIcon]>> = {
  playing: ['accent', Hourglass],
  solved: ['good', Check],
  usedUp: ['bad', X],
  ended: ['neutral', OctagonPause],
  stopped: ['neutral', OctagonPause],
}

interface Props {
  standing: Standing
  /** The last one that was played. */
  turn: number
}

export function StandingBadge({ standing, turn }: Readonly<Props>) {
  const [tone, Icon] = LOOKS[standing]
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden strokeWidth={2.5} />}>
      {text.standing[standing](turn)}
    </Badge>
  )
}
