import { useState } from 'react'

import { Badge } from '@/components/badge'
import type { ViewProps } from '@/components/run/family-views'
import { useAgents } from '@/components/run/use-agents'
import { ScrollRegion } from '@/components/scroll-region'

import { LayerRings, type Cell } from './layer-rings'
import { LayerTable } from './layer-table'
import { LongText, PhaseLabel } from './look'
import { StageStrip } from './stage-strip'
import { askedIn, endingOf, ordinalIn, phaseOf, upcoming, type StageView } from './stages'
import { useFollow, useStages } from './use-stages'
import { text } from './words'

/** The workflows of all stages, and how the shown one was chosen. It follows the run and its replay until a stage
 * is chosen. */
export function StagesView({ selected, onSelect }: Readonly<ViewProps>) {
  const { stages, shown, isOver, choose } = useStages(selected, onSelect)
  const agents = useAgents()
  useFollow(selected, onSelect)
  const last = stages.at(-1)
  const next = upcoming(stages, isOver)
  const ending = endingOf(stages)
  return (
    <section aria-label={text.tab} className="flex size-full min-h-0 flex-col bg-surface-1">
      <p role="status" className="sr-only">
        {next === null
          ? last && text.short(last.number, text.phase[phaseOf(last, agents, isOver)])
          : text.strip.planning(next)}
      </p>
      <StageStrip stages={stages} shown={shown} isOver={isOver} onChoose={choose} />
      {shown ? (
        <ScrollRegion
          key={shown.number}
          label={text.strip.chosen(shown.number)}
          className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
        >
          <div className="mx-auto flex max-w-4xl flex-col gap-3 p-3">
            <div className="flex flex-col gap-1">
              <div className="flex min-h-5 flex-wrap items-center gap-x-3 gap-y-1">
                <h2 className="text-sm font-semibold">{text.stage(shown.number)}</h2>
                <PhaseLabel phase={phaseOf(shown, agents, isOver)} />
                {ending ? (
                  <span className="ml-auto">
                    <Badge
                      tone={ending === 'completed' ? 'good' : 'neutral'}
                      title={text.endingHelp[ending]}
                    >
                      {text.ending[ending]}
                    </Badge>
                  </span>
                ) : null}
              </div>
              <Asked stage={shown} />
            </div>
            <Choice stage={shown} />
          </div>
        </ScrollRegion>
      ) : (
        <p className="p-4 text-ink-3">{text.strip.empty}</p>
      )}
    </section>
  )
}

function Asked({ stage: { planned } }: Readonly<{ stage: StageView }>) {
  const ordinal = ordinalIn(planned.state, planned.state.active)
  const asked = askedIn(planned.state)
  return <LongText lines={2}>{ordinal > 0 ? `${text.subtask(ordinal)}: ${asked}` : asked}</LongText>
}

/** Its layers: how likely each agent was, and who was chosen. */
function Choice({ stage: { layers } }: Readonly<{ stage: StageView }>) {
  const [marked, setMarked] = useState<Cell | null>(null)
  const [first] = layers
  if (!first) return <p className="text-ink-3">{text.choice.waits}</p>
  if (first.fixed) return <Fixed layers={layers} />
  const parts = { layers, marked, onMark: setMarked }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-ink-2">
        {first.greedy ? text.choice.greedy : text.choice.drawn}
        <span title={text.choice.massHelp}>{text.choice.mass(first.mass, first.most ?? null)}</span>
      </p>
      <div className="flex flex-wrap items-start justify-center gap-x-6 gap-y-3">
        <LayerRings {...parts} />
        <div className="min-w-64 flex-1">
          <LayerTable {...parts} />
        </div>
      </div>
    </div>
  )
}

const Fixed = ({ layers }: Readonly<Pick<StageView, 'layers'>>) => (
  <div className="flex flex-col gap-2">
    <p className="text-ink-3">{text.choice.fixed}</p>
    <ol className="flex flex-col gap-1">
      {layers.map(({ layer, candidates }) => (
        <li key={layer}>
          <span className="text-ink-3">{text.layer(layer)}: </span>
          {candidates.map(({ name }) => name).join(', ')}
        </li>
      ))}
    </ol>
  </div>
)
