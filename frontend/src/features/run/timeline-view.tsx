import { ChartGantt, Table2 } from 'lucide-react'
import { useMemo, useState } from 'react'

import { Button } from '@/components/button'
import { StatusIcon } from '@/components/run/agent-look'
import { useRun, useWorkerNow } from '@/components/run/run-context'
import { shownWhole } from '@/components/run/run-store'
import { ScrollRegion } from '@/components/scroll-region'
import { toldAttempts, type AttemptView } from '@/graph/run-view'
import { timelineOf, type Timeline } from '@/graph/timeline'
import { formatCost, formatCount, formatSeconds } from '@/lib/format'
import { useWide } from '@/lib/use-wide'
import { text } from '@/strings/run'
import { text as words } from '@/strings/timeline'

import { TimelineChart } from './timeline-chart'

const LIVE_MS = 250
const STILL_MS = 60_000

export interface TimelineViewProps {
  selected: string | null
  onSelect: (id: string) => void
}

/** When each agent, each tool call and all else worked. */
export function TimelineView({ selected, onSelect }: Readonly<TimelineViewProps>) {
  const view = useRun((state) => state.view)
  const attempts = useMemo(() => toldAttempts(view), [view])
  const attempt = useRun(shownWhole)
  const go = useRun((state) => state.go)
  if (!attempt) return <p className="p-4 text-ink-3">{words.empty}</p>
  return (
    <AttemptTimeline
      key={attempt.attempt}
      attempt={attempt}
      attempts={attempts}
      onAttempt={(number) => go(number, null)}
      selected={selected}
      onSelect={onSelect}
    />
  )
}

interface AttemptProps extends TimelineViewProps {
  attempt: AttemptView
  attempts: readonly AttemptView[]
  onAttempt: (attempt: number) => void
}

function AttemptTimeline(props: Readonly<AttemptProps>) {
  const { attempt, attempts, onAttempt, selected, onSelect } = props
  const [asTable, setAsTable] = useState(false)
  const running = useRun((state) => state.view.status === 'running')
  const isLive = running && attempt === attempts.at(-1)
  const families = useRun((state) => state.families)
  const now = useWorkerNow(isLive ? LIVE_MS : STILL_MS)
  const wide = useWide()
  const timeline = timelineOf(attempt, families, isLive ? now : null, wide ? 8 : 4)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-1.5">
        <p className="min-w-0 flex-1 text-xs text-ink-3">
          {timeline.peak > 0 ? words.peak(timeline.peak) : ''}
        </p>
        {attempts.length > 1
          ? attempts.map((each) => (
              <Button
                key={each.attempt}
                size="sm"
                variant={each === attempt ? 'secondary' : 'quiet'}
                aria-pressed={each === attempt}
                onPress={() => onAttempt(each.attempt)}
              >
                {`${words.attempt} ${each.attempt}`}
              </Button>
            ))
          : null}
        <Button
          variant="quiet"
          size="sm"
          onPress={() => setAsTable(!asTable)}
          icon={asTable ? <ChartGantt size={14} aria-hidden /> : <Table2 size={14} aria-hidden />}
        >
          {asTable ? words.chart : words.table}
        </Button>
      </div>
      {timeline.rows.length === 0 ? (
        <p className="p-4 text-ink-3">{words.empty}</p>
      ) : asTable ? (
        <TimelineTable timeline={timeline} />
      ) : (
        <TimelineChart timeline={timeline} selected={selected} onSelect={onSelect} />
      )}
    </div>
  )
}

/** The same numbers as the bars, for reading and for assistive technology. */
function TimelineTable({ timeline }: Readonly<{ timeline: Timeline }>) {
  const { facts } = text.agent
  const column = timeline.rows.find(({ fact }) => fact !== null)?.fact?.title
  return (
    <ScrollRegion label={words.label} className="min-h-0 flex-1 overflow-auto">
      <table className="w-full border-collapse text-sm [&_td]:px-3 [&_td]:py-1.5 [&_th]:px-3 [&_th]:py-1.5">
        <thead className="text-xs text-ink-3">
          <tr className="border-b border-line [&_th]:text-right [&_th]:font-medium">
            <th scope="col" className="!text-left">
              {words.name}
            </th>
            {column ? (
              <th scope="col" className="!text-left">
                {column}
              </th>
            ) : null}
            <th scope="col">{words.start}</th>
            <th scope="col">{words.duration}</th>
            <th scope="col">{facts.prompt}</th>
            <th scope="col">{facts.completion}</th>
            <th scope="col">{facts.cost}</th>
          </tr>
        </thead>
        <tbody>
          {timeline.rows.map((row) => (
            <tr key={row.id} className="border-b border-line [&_td]:text-right">
              <th scope="row" className="text-left font-medium">
                <span className="flex items-center gap-2" style={{ paddingLeft: row.depth * 16 }}>
                  <StatusIcon status={row.status} size={12} named />
                  {row.label}
                </span>
              </th>
              {column ? (
                <td className="max-w-72 truncate !text-left" title={row.fact?.text}>
                  {row.fact?.short}
                </td>
              ) : null}
              <td>{formatSeconds(row.start)}</td>
              <td>{row.open ? words.open : formatSeconds(row.end - row.start)}</td>
              <td>{row.kind === 'tool' ? '' : formatCount(row.usage?.promptTokens)}</td>
              <td>{row.kind === 'tool' ? '' : formatCount(row.usage?.completionTokens)}</td>
              <td>{row.kind === 'tool' ? '' : formatCost(row.usage?.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
