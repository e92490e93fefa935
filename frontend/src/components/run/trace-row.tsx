import { ChevronRight } from 'lucide-react'
import type { KeyboardEvent } from 'react'

import { cx } from '@/components/cx'
import type { Excerpt } from '@/graph/search'
import { tokensOf } from '@/graph/totals'
import type { TraceRow } from '@/graph/tree'
import { formatCount, formatSeconds } from '@/lib/format'

import { FamilyTile, StatusIcon } from './agent-look'
import type { RowLook } from './family-views'
import { text } from '@/strings/run'

interface Props {
  row: TraceRow
  look: RowLook | undefined
  /** What a search has found there. */
  hit: Excerpt | undefined
  /** The keyboard moved here; it may be drawn only after the list has scrolled. */
  takesFocus: boolean
  onFocused: () => void
  isTabStop: boolean
  isSelected: boolean
  /** The moment that is looked back at is here, or below a branch that is closed. */
  isNow: boolean
  /** It has not happened by that moment. */
  isLater: boolean
  onKeyDown: (event: KeyboardEvent) => void
  onToggle: () => void
  onChoose: () => void
}

export function TraceRowLine(props: Readonly<Props>) {
  const { row, look, hit, takesFocus, isTabStop, isSelected, isNow, isLater } = props
  const { onFocused, onKeyDown, onToggle, onChoose } = props
  const { node, level, position, siblings, expanded } = row
  return (
    <div
      ref={(element) => {
        if (takesFocus) element?.focus()
      }}
      onFocus={onFocused}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isSelected}
      {...(isNow ? { 'aria-current': 'step' } : {})}
      data-later={isLater || undefined}
      {...(expanded === null ? {} : { 'aria-expanded': expanded })}
      tabIndex={isTabStop ? 0 : -1}
      onKeyDown={onKeyDown}
      onClick={onChoose}
      className={cx(
        'flex h-8 cursor-pointer items-center gap-2 pr-3 text-sm focus-visible:-outline-offset-2',
        isSelected ? 'bg-accent-soft' : 'hover:bg-surface-2',
        isNow && 'shadow-[inset_3px_0_0_var(--accent)]',
        isLater && 'text-ink-3',
      )}
      style={{ paddingLeft: 8 + (level - 1) * 18 }}
    >
      <span
        aria-hidden
        className="grid size-4 shrink-0 place-items-center text-ink-3"
        onClick={(event) => {
          if (expanded === null) return
          event.stopPropagation()
          onToggle()
        }}
      >
        {expanded === null ? null : (
          <ChevronRight size={14} className={cx('transition-transform', expanded && 'rotate-90')} />
        )}
      </span>
      <span className={cx('contents', isLater && '*:opacity-40')}>
        <RowIcon row={row} look={look} />
      </span>
      <span
        className={cx(
          'shrink-0 truncate',
          isLater ? 'font-normal' : look?.isStrong ? 'font-semibold' : 'font-medium',
          node.kind === 'failure' && !isLater && 'text-bad',
        )}
      >
        {node.label}
      </span>
      <span className="min-w-0 flex-1 truncate text-ink-3">
        {hit ? (
          <>
            {hit.before}
            <mark className="rounded-xs bg-accent-soft font-medium text-ink">{hit.match}</mark>
            {hit.after}
          </>
        ) : (
          node.detail
        )}
      </span>
      <RowNumbers row={row} look={look} />
    </div>
  )
}

type LookProps = Pick<Props, 'row' | 'look'>

function RowIcon({ row: { node }, look }: Readonly<LookProps>) {
  if (node.kind === 'agent') return <FamilyTile family={node.family} size={20} />
  const Icon = look?.icon
  return Icon ? (
    <Icon
      size={14}
      aria-hidden
      className={cx('shrink-0', node.kind === 'failure' ? 'text-bad' : 'text-ink-3')}
    />
  ) : null
}

function RowNumbers({ row: { node }, look }: Readonly<LookProps>) {
  const counts = look?.counts === true
  return (
    <span className="flex shrink-0 items-center gap-3 text-xs text-ink-3">
      {counts ? (
        <span className="hidden w-24 text-right sm:inline">
          {text.tokens(formatCount(tokensOf(node.usage)))}
        </span>
      ) : null}
      {counts || node.kind === 'tool' ? (
        <span className="w-14 text-right">{formatSeconds(node.seconds)}</span>
      ) : null}
      <span className="w-4">{node.status ? <StatusIcon status={node.status} named /> : null}</span>
    </span>
  )
}
