import { useEffect, useState, type ReactNode } from 'react'

import { cx } from './cx'
import { later } from './later'

/** Few lists are that long. */
const VirtualRows = later(async () => (await import('./virtual-rows')).VirtualRows)

/** Shorter lists are drawn whole: find-in-page and assistive technology then see every row. */
const VIRTUAL_FROM = 200

interface Props<T> {
  rows: readonly T[]
  rowHeight: number
  keyOf: (row: T) => string
  render: (row: T, index: number) => ReactNode
  className?: string
  /** For a list without focusable rows: the keyboard then reaches the list, to scroll it. */
  label?: string
  /** Scrolls to this row whenever it changes, for who walks in a long list. */
  target?: number | null
  /** The same, in a list of any length and without moving the page. */
  follow?: number | null
}

/** Rows of one height; beyond `VIRTUAL_FROM` only those in view exist. */
export function VirtualList<T>({
  rows,
  rowHeight,
  keyOf,
  render,
  className,
  label,
  target = null,
  follow = null,
}: Readonly<Props<T>>) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const isVirtual = rows.length > VIRTUAL_FROM
  useEffect(() => {
    if (follow !== null && scroller && !isVirtual) keepInView(scroller, scroller.children[follow])
  }, [follow, isVirtual, scroller])
  const named = label
    ? { role: 'group', 'aria-label': label, tabIndex: 0 }
    : { role: 'presentation' }
  return (
    <div ref={setScroller} {...named} className={cx('overflow-auto', className)}>
      {isVirtual ? (
        <VirtualRows
          scroller={scroller}
          rowHeight={rowHeight}
          keys={rows.map(keyOf)}
          render={(index) => {
            const row = rows[index]
            return row === undefined ? null : render(row, index)
          }}
          target={target}
          follow={follow}
        />
      ) : (
        rows.map((row, index) => (
          <div key={keyOf(row)} role="presentation" style={{ minHeight: rowHeight }}>
            {render(row, index)}
          </div>
        ))
      )}
    </div>
  )
}

function keepInView(scroller: HTMLElement, row: Element | undefined): void {
  if (!row) return
  const [frame, box] = [scroller.getBoundingClientRect(), row.getBoundingClientRect()]
  if (box.top < frame.top) scroller.scrollTop += box.top - frame.top
  else if (box.bottom > frame.bottom) scroller.scrollTop += box.bottom - frame.bottom
}
