import type { KeyboardEvent } from 'react'

import type { TraceRow } from '@/graph/tree'

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

export function onTreeKey(event: KeyboardEvent, index: number, moves: Moves): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  if (!moveBy(event.key, index, moves)) return
  event.preventDefault()
  event.stopPropagation()
}
