/** A family of methods with its views. The run's context hands the list to all that shows a run. */
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'

import type { components } from '@/generated/api'
import type { GraphFamily } from '@/graph/family'
import type { RunEvent } from '@/graph/frames'
import type { AgentView, AttemptView } from '@/graph/run-view'

import type { RunMethod } from './use-run-method'

export interface RowLook {
  /** null: the icon is the agent's. */
  readonly icon: LucideIcon | null
  readonly isStrong?: boolean
  /** Shows tokens and seconds. */
  readonly counts?: boolean
  readonly opensAtFirst?: boolean
}

export interface ListProps {
  readonly selected: string | null
  readonly onSelect: (id: string) => void
}

export interface ViewProps {
  readonly selected: string | null
  readonly onSelect: (id: string | null) => void
}

export interface SideProps extends ViewProps {
  readonly onAgent: (id: string) => void
}

export interface PanelProps {
  readonly id: string
  readonly onSelect: (id: string | null) => void
  readonly onAgent: (id: string) => void
  /** In a sheet the sheet has the heading and the closing button. */
  readonly bare?: boolean
}

/** A view beside the graph of agents. The run opens with it once the family has kept something. */
export interface FamilyTab {
  /** In the address: `?tab=key`. */
  readonly key: string
  /** In the address, for what is chosen there: `?parameter=id`. */
  readonly parameter: string
  readonly words: {
    readonly tab: string
    /** Of the graph of agents, beside it. */
    readonly agents: string
    /** Of the choice between both. */
    readonly views: string
  }
  /** Name of what can be chosen there; null: there is none of this id, or not yet. */
  readonly nameOf: (attempt: AttemptView, id: string) => string | null
  readonly View: ComponentType<ViewProps>
  /** Beside it while nothing is chosen. */
  readonly Side: ComponentType<SideProps>
  /** Beside it for what is chosen; absent: `Side` shows that, too. */
  readonly Panel?: ComponentType<PanelProps>
}

/** Shown beside the graph of agents instead of the team. */
export interface FamilySide {
  readonly label: string
  readonly isShown: (attempt: AttemptView | null, method: RunMethod) => boolean
  readonly Panel: ComponentType<ListProps>
}

export interface AgentSectionProps {
  readonly agent: AgentView
  /** Opens something in the family's tab; absent where there are no tabs. */
  readonly onOpen?: (id: string) => void
}

export interface SampleProps {
  readonly sample: components['schemas']['Sample']
  readonly onSelect: (agent: string) => void
}

export interface StillProps {
  /** As the method tells it: nothing in it is certain. */
  readonly picture: Readonly<Record<string, unknown>>
}

export interface RunFamily extends GraphFamily {
  /** By the kinds of its rows. */
  readonly rowLooks: Readonly<Record<string, RowLook>>
  readonly tab?: FamilyTab
  readonly side?: FamilySide
  /** In the panel of an agent, above its message. */
  readonly Asked?: ComponentType<AgentSectionProps>
  /** In the panel of an agent, where the family knows why it is there. */
  readonly why?: {
    readonly isKnown: (attempt: AttemptView, agent: string) => boolean
    readonly Why: ComponentType<AgentSectionProps>
  }
  /** Beside a system sampled in training: what its actions earned. */
  readonly Credits?: ComponentType<SampleProps>
}

/** A family that is fetched with the first run that tells of it. */
export interface LaterFamily {
  /** Its own events: no other family has them. */
  readonly tells: readonly RunEvent['event'][]
  /** Any other event that it is wanted for. */
  readonly isWanted?: (event: RunEvent) => boolean
  /** That of its tab. */
  readonly parameter: string
  readonly load: () => Promise<RunFamily>
  /** What the agents work on, as it stood after one answer; also outside a run. */
  readonly Still?: ComponentType<StillProps>
}

export type AnyFamily = RunFamily | LaterFamily

export const isLater = (family: AnyFamily): family is LaterFamily => 'load' in family
