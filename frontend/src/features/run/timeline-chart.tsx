import { useState, type CSSProperties, type KeyboardEvent } from 'react'

import { cx } from '@/components/cx'
import { FamilyTile, StatusIcon } from '@/components/run/agent-look'
import { text } from '@/strings/run'
import { text as words } from '@/strings/timeline'
import { usePlace } from '@/components/run/use-place'
import { VirtualList } from '@/components/virtual-list'
import type { Timeline, TimelineRow } from '@/graph/timeline'
import { tokensOf } from '@/graph/totals'
import { familyOf } from '@/lib/families'
import { formatCost, formatCount, formatSeconds } from '@/lib/format'

const ROW = 34
/** With a fact under the name. */
const TALL_ROW = 46
const COLUMNS =
  'grid grid-cols-[minmax(0,9.5rem)_minmax(0,1fr)] sm:grid-cols-[13rem_minmax(0,1fr)_5rem_5rem]'

interface Props {
  timeline: Timeline
  selected: string | null
  onSelect: (id: string) => void
}

export function TimelineChart({ timeline, selected, onSelect }: Readonly<Props>) {
  const [shown, setShown] = useState<TimelineRow | null>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const [target, setTarget] = useState<string | null>(null)
  const { rows } = timeline
  const rowHeight = rows.some(({ fact }) => fact !== null) ? TALL_ROW : ROW
  const place = usePlace()
  const stop = rows.find(({ id }) => id === focused) ?? rows[0]
  const walk = (event: KeyboardEvent, index: number): void => {
    const to = rowAfter(event.key, index, rows)
    if (!to) return
    event.preventDefault()
    setFocused(to.id)
    setTarget(to.id)
  }
  return (
    <div
      role="toolbar"
      aria-orientation="vertical"
      aria-label={words.label}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Axis timeline={timeline} now={cursorOf(place.at, timeline)} />
      <VirtualList
        rows={rows}
        rowHeight={rowHeight}
        keyOf={(row) => row.id}
        className="min-h-0 flex-1"
        target={target === null ? null : rows.findIndex(({ id }) => id === target)}
        render={(row, index) => (
          <Bar
            row={row}
            height={rowHeight}
            timeline={timeline}
            isSelected={selected !== null && selected === row.agentId}
            now={cursorOf(place.at, timeline)}
            isLater={place.isLater(timeline.attempt, row.rowId)}
            isTabStop={row === stop}
            takesFocus={row.id === target}
            onKeyDown={(event) => walk(event, index)}
            onFocused={() => {
              setFocused(row.id)
              setTarget(null)
            }}
            onShow={setShown}
            onSelect={(id) => {
              place.goTo(timeline.attempt, row.rowId)
              if (id !== null) onSelect(id)
            }}
          />
        )}
      />
      <p
        aria-hidden
        className="h-8 shrink-0 truncate border-t border-line px-3 py-1.5 text-xs text-ink-2"
      >
        {shown ? sentence(shown) : words.hint}
      </p>
    </div>
  )
}

/** The whole chart is one stop of Tab; these keys walk in it. */
function rowAfter(
  key: string,
  index: number,
  rows: readonly TimelineRow[],
): TimelineRow | undefined {
  switch (key) {
    case 'ArrowDown':
      return rows[index + 1]
    case 'ArrowUp':
      return rows[index - 1]
    case 'Home':
      return rows[0]
    case 'End':
      return rows.at(-1)
    default:
      return undefined
  }
}

function Axis({ timeline, now }: Readonly<{ timeline: Timeline; now: number | null }>) {
  return (
    <div aria-hidden className={cx(COLUMNS, 'border-b border-line px-3 text-xs text-ink-3')}>
      <span className="py-1.5">{words.name}</span>
      <span className="relative h-7">
        {timeline.ticks.map((tick) => (
          <span
            key={tick.at}
            className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap first:translate-x-0"
            style={{ left: share(tick.at, timeline) }}
          >
            {tick.label}
          </span>
        ))}
        <Cursor now={now} timeline={timeline} />
      </span>
      <span className="hidden py-1.5 text-right sm:block">{text.facts.tokens}</span>
      <span className="hidden py-1.5 text-right sm:block">{text.facts.cost}</span>
    </div>
  )
}

interface BarProps {
  row: TimelineRow
  height: number
  timeline: Timeline
  isSelected: boolean
  /** Seconds after the start at which the replay stands; null where nobody looks back. */
  now: number | null
  /** It begins after that. */
  isLater: boolean
  isTabStop: boolean
  takesFocus: boolean
  onKeyDown: (event: KeyboardEvent) => void
  onFocused: () => void
  onShow: (row: TimelineRow | null) => void
  onSelect: (id: string | null) => void
}

function Bar(props: Readonly<BarProps>) {
  const { row, timeline, isSelected, now, isLater, isTabStop, takesFocus, onShow, onSelect } = props
  const isTool = row.kind === 'tool'
  return (
    <button
      ref={(element) => {
        if (takesFocus) element?.focus()
      }}
      type="button"
      tabIndex={isTabStop ? 0 : -1}
      title={sentence(row)}
      aria-pressed={isSelected}
      data-later={isLater || undefined}
      onClick={() => onSelect(row.agentId)}
      onKeyDown={props.onKeyDown}
      onFocus={() => {
        props.onFocused()
        onShow(row)
      }}
      onBlur={() => onShow(null)}
      onMouseEnter={() => onShow(row)}
      onMouseLeave={() => onShow(null)}
      className={cx(
        COLUMNS,
        'w-full items-center px-3 text-left focus-visible:-outline-offset-2',
        isSelected ? 'bg-accent-soft' : 'hover:bg-surface-2',
        isLater && 'text-ink-3',
      )}
      style={{ height: props.height }}
    >
      <span className={cx('flex min-w-0 items-center gap-2 pr-2', isTool && 'pl-7')}>
        {isTool ? null : (
          <span className={cx('contents', isLater && '*:opacity-40')}>
            <FamilyTile family={row.family} size={20} />
          </span>
        )}
        <span className="flex min-w-0 flex-col">
          <span className={cx('truncate', isTool ? 'font-mono text-xs text-ink-2' : 'font-medium')}>
            {row.label}
          </span>
          {row.fact ? <span className="truncate text-xs text-ink-3">{row.fact.short}</span> : null}
        </span>
        <StatusIcon status={row.status} size={12} />
      </span>
      <BarTrack row={row} timeline={timeline} now={now} isLater={isLater} />
      <span className="hidden text-right text-xs text-ink-2 sm:block">
        {isTool ? '' : formatCount(tokensOf(row.usage))}
      </span>
      <span className="hidden text-right text-xs text-ink-2 sm:block">
        {isTool ? '' : formatCost(row.usage?.cost)}
      </span>
    </button>
  )
}

type TrackProps = Pick<BarProps, 'row' | 'timeline' | 'now' | 'isLater'>

function BarTrack({ row, timeline, now, isLater }: Readonly<TrackProps>) {
  const family = familyOf(row.family)
  const length = row.end - row.start
  return (
    <span className="relative h-full">
      {timeline.ticks.map((tick) => (
        <span
          key={tick.at}
          className="absolute inset-y-0 w-px bg-line"
          style={{ left: share(tick.at, timeline) }}
        />
      ))}
      <span
        className={cx(
          'absolute top-1/2 min-w-[3px] -translate-y-1/2 rounded-sm border',
          row.kind === 'tool' ? 'h-2' : 'h-4',
          row.open && 'border-r-0 rounded-r-none',
          isLater && 'opacity-40',
        )}
        style={{
          left: share(row.start, timeline),
          width: share(length, timeline),
          backgroundColor: row.kind === 'tool' ? family.soft : family.line,
          borderColor: family.color,
        }}
      />
      <span
        className="absolute top-1/2 -translate-y-1/2 px-1.5 text-xs whitespace-nowrap text-ink-2"
        style={labelPlace(row, timeline)}
      >
        {formatSeconds(length)}
      </span>
      <Cursor now={now} timeline={timeline} />
    </span>
  )
}

/** Where the replay stands: one line over the axis and all rows. */
function Cursor({ now, timeline }: Readonly<Pick<BarProps, 'now' | 'timeline'>>) {
  if (now === null) return null
  return (
    <span
      data-now
      className="absolute inset-y-0 w-0.5 -translate-x-1/2 bg-accent"
      style={{ left: share(now, timeline) }}
    />
  )
}

const cursorOf = (at: number | null, { origin, duration }: Timeline): number | null =>
  at === null ? null : Math.min(Math.max(0, at - origin), duration)

/** Behind the bar, before it, or on it: where there is room. */
function labelPlace(row: TimelineRow, timeline: Timeline): CSSProperties {
  const room = timeline.duration * 0.16
  if (timeline.duration - row.end > room) return { left: share(row.end, timeline) }
  if (row.start > room) return { right: share(timeline.duration - row.start, timeline) }
  return { left: share(row.start, timeline), color: 'var(--ink)' }
}

function share(seconds: number, { duration }: Timeline): string {
  return `${duration > 0 ? (seconds / duration) * 100 : 0}%`
}

function sentence(row: TimelineRow): string {
  const { fact } = row
  const parts = [
    row.label,
    ...(fact ? [`${fact.name}: ${fact.text}`] : []),
    row.open ? words.open : text.status[row.status],
    `${words.start} ${formatSeconds(row.start)}`,
    `${words.duration} ${formatSeconds(row.end - row.start)}`,
  ]
  if (row.kind !== 'tool') {
    parts.push(text.tokens(formatCount(tokensOf(row.usage))), formatCost(row.usage?.cost))
    if (row.cached) parts.push(text.cached)
  }
  return parts.join(' · ')
}
