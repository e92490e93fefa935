import { Check, Flag, Hourglass, OctagonPause, X, type LucideIcon } from 'lucide-react'

import { Badge, type Tone } from '@/components/badge'

import type { MoveView, Standing } from './episode'
import { text } from './view-words'

const LOOKS: Readonly<Record<Standing, readonly [tone: Tone, icon: LucideIcon]>> = {
  playing: ['accent', Hourglass],
  solved: ['good', Check],
  usedUp: ['warn', X],
  ended: ['neutral', Flag],
  stopped: ['neutral', OctagonPause],
}

interface Props {
  standing: Standing
  last: MoveView | undefined
}

export function StandingBadge({ standing, last }: Readonly<Props>) {
  const [tone, Icon] = LOOKS[standing]
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden strokeWidth={2.5} />}>
      {text.standing[standing](last?.turn ?? 0, last?.ended ?? '')}
    </Badge>
  )
}
