import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useState, type ReactNode } from 'react'

import { cx } from './cx'

/** Shorter lists are drawn whole: find-in-page and assistive technology then see every row. */
export const VIRTUAL_FROM = 200

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
  // The compiler cannot memoise what the virtualizer returns; this component is small and calls it alone.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  useEffect(() => {
    if (isVirtual && target !== null) virtualizer.scrollToIndex(target)
  }, [isVirtual, target, virtualizer])
  useEffect(() => {
    if (follow === null || !scroller) return
    if (isVirtual) virtualizer.scrollToIndex(follow)
    else keepInView(scroller, scroller.children[follow])
  }, [follow, isVirtual, scroller, virtualizer])
  const named = label
    ? { role: 'group', 'aria-label': label, tabIndex: 0 }
    : { role: 'presentation' }
  return (
    <div ref={setScroller} {...named} className={cx('overflow-auto', className)}>
      {isVirtual ? (
        <div
          role="presentation"
          className="relative"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index]
            return row === undefined ? null : (
              <div
                key={keyOf(row)}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
              >
                {render(row, item.index)}
              </div>
            )
          })}
        </div>
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
