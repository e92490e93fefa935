import {
  CircleAlert,
  Flag,
  MessageSquareText,
  RotateCw,
  Scale,
  ScrollText,
  Wrench,
} from 'lucide-react'
import { useCallback, useDeferredValue, useMemo, useState, type KeyboardEvent } from 'react'

import { Button } from '@/components/button'
import { DelayedSearch } from '@/components/delayed-search'
import { VirtualList } from '@/components/virtual-list'
import { searchTrace } from '@/graph/search'
import { nearestRow, traceTree, visibleRows, type TraceNode, type TraceRow } from '@/graph/tree'
import { text } from '@/strings/run'

import type { RowLook } from './family-views'
import { useRun } from './run-context'
import { shownWhole } from './run-store'
import { TraceRowLine } from './trace-row'
import { usePlace } from './use-place'

const ROW = 32

export interface TraceTreeProps {
  selected: string | null
  onSelect: (id: string) => void
  /** What is searched for, where the page keeps it. */
  search?: readonly [words: string | null, set: (words: string | null) => void]
}

/** Everything that happened, as a tree: attempts, steps, agents, their messages and tool calls. */
export function TraceTree({ selected, onSelect, search }: Readonly<TraceTreeProps>) {
  const view = useRun((state) => state.view)
  const families = useRun((state) => state.families)
  const roots = useMemo(() => traceTree(view, families), [view, families])
  const looks = useRowLooks()
  const [focused, setFocused] = useState<string | null>(null)
  const own = useState<string | null>(null)
  const [words, setWords] = search ?? own
  // Typing stays quick in a trace of thousands of messages.
  const wanted = useDeferredValue(words?.trim() ?? '')
  const found = useMemo(() => (wanted === '' ? null : searchTrace(roots, wanted)), [roots, wanted])
  const { isOpen, setOpen, setAll } = useOpening(wanted, looks)
  const rows = useMemo(() => visibleRows(found?.roots ?? roots, isOpen), [roots, found, isOpen])
  const [target, setTarget] = useState<string | null>(null)
  const shown = useRun((state) => shownWhole(state)?.attempt)
  const place = usePlace()
  const marked = useMemo(
    () => (place.row === null ? null : nearestRow(rows, roots, place.row)),
    [rows, roots, place.row],
  )
  const follow = useFollowed(marked, marked === null ? null : indexOf(rows, marked))
  const current = rows.some((row) => row.node.id === focused) ? focused : rows[0]?.node.id

  const moves = {
    rows,
    focus: (id: string) => {
      setFocused(id)
      setTarget(id)
    },
    setOpen,
    choose: ({ node, expanded }: TraceRow) => {
      setFocused(node.id)
      if (node.agentId === null && expanded !== null) {
        setOpen(node.id, !expanded)
        return
      }
      place.goTo(node.attempt, node.id)
      if (node.agentId) onSelect(node.agentId)
    },
  }

  return (
    <div data-tour="messages" className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-3 py-1.5">
        <p className="sr-only">{text.trace.help}</p>
        <DelayedSearch
          label={text.trace.search}
          value={words ?? ''}
          onChange={(typed) => setWords(typed || null)}
          className="min-w-0 flex-1 basis-full sm:max-w-72 sm:basis-0"
        />
        <p role="status" className="min-w-0 flex-1 truncate text-xs text-ink-3">
          {found ? text.trace.found(found.hits.size) : ''}
        </p>
        <Button variant="quiet" size="sm" onPress={() => setAll(true)}>
          {text.trace.expand}
        </Button>
        <Button variant="quiet" size="sm" onPress={() => setAll(false)}>
          {text.trace.collapse}
        </Button>
      </div>
      {rows.length === 0 ? (
        <p className="p-4 text-ink-3">{found ? text.trace.foundNothing : text.trace.empty}</p>
      ) : (
        <div role="tree" aria-label={text.trace.label} className="flex min-h-0 flex-1 flex-col">
          <VirtualList
            rows={rows}
            rowHeight={ROW}
            keyOf={(row) => row.node.id}
            className="min-h-0 flex-1 py-1"
            target={target === null ? null : indexOf(rows, target)}
            follow={follow}
            render={(row, index) => (
              <TraceRowLine
                row={row}
                look={looks[row.node.kind]}
                hit={found?.hits.get(row.node.id)}
                takesFocus={row.node.id === target}
                onFocused={() => setTarget(null)}
                isTabStop={row.node.id === current}
                isSelected={
                  selected !== null && row.node.agentId === selected && row.node.attempt === shown
                }
                isNow={row.node.id === marked}
                isLater={place.isLater(row.node.attempt, row.node.id)}
                onKeyDown={(event) => onTreeKey(event, index, moves)}
                onToggle={() => moves.setOpen(row.node.id, !row.expanded)}
                onChoose={() => moves.choose(row)}
              />
            )}
          />
        </div>
      )}
    </div>
  )
}

const indexOf = (rows: readonly TraceRow[], id: string): number =>
  rows.findIndex((row) => row.node.id === id)

/** Where the row of a moment stood when it was gone to: opening a branch elsewhere scrolls nothing. */
function useFollowed(row: string | null, index: number | null): number | null {
  const [followed, setFollowed] = useState({ row, index })
  if (followed.row !== row) setFollowed({ row, index })
  return followed.index
}

interface Opening {
  /** The search that these were opened or closed in; empty: in none. */
  readonly words: string
  readonly own: ReadonlyMap<string, boolean>
  /** null: nobody has opened or closed all. */
  readonly all: boolean | null
}

const untouched = (words: string): Opening => ({ words, own: new Map(), all: null })

/** Which branches are open. Every search begins with all of them, and leaves the others alone. */
function useOpening(wanted: string, looks: RowLooks) {
  const [usual, setUsual] = useState(() => untouched(''))
  const [searched, setSearched] = useState(() => untouched(''))
  const there = useMemo(
    () => (searched.words === wanted ? searched : untouched(wanted)),
    [searched, wanted],
  )
  const opening = wanted === '' ? usual : there
  const change = wanted === '' ? setUsual : setSearched
  const { own, all } = opening
  const isOpen = useCallback(
    (node: TraceNode): boolean =>
      own.get(node.id) ?? all ?? (wanted !== '' || looks[node.kind]?.opensAtFirst === true),
    [own, all, wanted, looks],
  )
  return {
    isOpen,
    setOpen: (id: string, open: boolean) => change({ ...opening, own: new Map(own).set(id, open) }),
    setAll: (open: boolean) => change({ words: wanted, own: new Map(), all: open }),
  }
}

type RowLooks = Readonly<Record<string, RowLook>>

const LOOKS: RowLooks = {
  attempt: { icon: RotateCw, isStrong: true, counts: true, opensAtFirst: true },
  continued: { icon: RotateCw, isStrong: true, counts: true },
  agent: { icon: null, isStrong: true, counts: true },
  prompt: { icon: ScrollText },
  message: { icon: MessageSquareText },
  tool: { icon: Wrench },
  answer: { icon: Flag },
  verdict: { icon: Scale },
  failure: { icon: CircleAlert },
}

/** How the rows of the trace look, by their kinds. */
function useRowLooks(): RowLooks {
  const families = useRun((state) => state.families)
  return useMemo(
    () => families.reduce<RowLooks>((looks, { rowLooks }) => ({ ...looks, ...rowLooks }), LOOKS),
    [families],
  )
}

interface Moves {
  readonly rows: readonly TraceRow[]
  readonly focus: (id: string) => void
  readonly setOpen: (id: string, open: boolean) => void
  readonly choose: (row: TraceRow) => void
}

/** The keys of a tree, as the ARIA practices describe them. True when the key was used. */
function moveBy(key: string, index: number, { rows, focus, setOpen, choose }: Moves): boolean {
  const row = rows[index]
  if (!row) return false
  const go = (to: TraceRow | undefined): boolean => {
    if (to) focus(to.node.id)
    return true
  }
  switch (key) {
    case 'ArrowDown':
      return go(rows[index + 1])
    case 'ArrowUp':
      return go(rows[index - 1])
    case 'Home':
      return go(rows[0])
    case 'End':
      return go(rows.at(-1))
    case 'ArrowRight':
      if (row.expanded === false) setOpen(row.node.id, true)
      else if (row.expanded) go(rows[index + 1])
      return true
    case 'ArrowLeft':
      if (row.expanded) setOpen(row.node.id, false)
      else go(rows.find((other) => other.node.id === row.parentId))
      return true
    case 'Enter':
    case ' ':
      choose(row)
      return true
    default:
      return false
  }
}

function onTreeKey(event: KeyboardEvent, index: number, moves: Moves): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  if (!moveBy(event.key, index, moves)) return
  event.preventDefault()
  event.stopPropagation()
}
