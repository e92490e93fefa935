/** Where one can go in the studio: the rail, the bar of a phone, the shortcuts and the palette read this. */
import {
  ChartNoAxesCombined,
  Cpu,
  Database,
  IdCard,
  MessageCircleQuestion,
  Rows3,
  Scale,
  Users,
  Workflow,
  type LucideIcon,
} from 'lucide-react'

import { strings } from '@/strings/studio'

export interface Place {
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
  /** After `g`. */
  readonly letter: string
  /** Five buttons fit in the bar of a phone; the other places are behind “More”. */
  readonly inBar: boolean
}

const { nav } = strings

export const places: readonly Place[] = [
  { to: '/', label: nav.ask, icon: MessageCircleQuestion, letter: 'a', inBar: true },
  { to: '/runs', label: nav.runs, icon: Rows3, letter: 'r', inBar: true },
  { to: '/designs', label: nav.designs, icon: Workflow, letter: 'g', inBar: false },
  { to: '/evaluations', label: nav.evaluations, icon: Scale, letter: 'v', inBar: true },
  { to: '/training', label: nav.training, icon: ChartNoAxesCombined, letter: 'l', inBar: false },
  { to: '/datasets', label: nav.datasets, icon: Database, letter: 'd', inBar: false },
  { to: '/roles', label: nav.roles, icon: Users, letter: 'o', inBar: false },
  { to: '/agents', label: nav.agents, icon: IdCard, letter: 'n', inBar: false },
  { to: '/endpoints', label: nav.endpoints, icon: Cpu, letter: 'e', inBar: false },
]
