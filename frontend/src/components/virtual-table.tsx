import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'react-router'

const NEAR_THE_END = 20
const MOST_KEPT = 20

/** Heights of rows by entry of the history: a reader who comes back finds each row where it was. */
const measured = new Map<string, VirtualItem[]>()

interface Props<T> {
  label: string
  head: ReactNode
  rows: readonly T[]
  keyOf: (row: T) => string
  render: (row: T) => ReactNode
  /** Pixels, before a row is measured. */
  rowHeight: number
  /** Whether these are all; otherwise the table's full length is unknown. */
  isComplete: boolean
  /** Called when the end comes near; left out where there is no more to fetch. */
  onEnd?: (() => void) | undefined
}

/** Rows of any height that scroll with the page; only those near the window exist. */
export function VirtualTable<T>(props: Readonly<Props<T>>) {
  const { label, head, rows, keyOf, render, rowHeight, isComplete, onEnd } = props
  const list = useRef<HTMLDivElement>(null)
  const place = `${useLocation().key}/${label}`
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (list.current) setTop(list.current.getBoundingClientRect().top + globalThis.scrollY)
  }, [])
  // The compiler cannot memoise what the virtualizer returns; its parts are used here alone.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => (rows[index] === undefined ? index : keyOf(rows[index])),
    initialMeasurementsCache: measured.get(place) ?? [],
  })
  useEffect(
    () => () => {
      measured.delete(place)
      measured.set(place, virtual.takeSnapshot())
      for (const oldest of [...measured.keys()].slice(0, -MOST_KEPT)) measured.delete(oldest)
    },
    [place, virtual],
  )
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const isNear = rows.length > 0 && last >= rows.length - NEAR_THE_END
  useEffect(() => {
    if (isNear) onEnd?.()
  }, [isNear, onEnd, rows.length])
  return (
    <div role="table" aria-label={label} aria-rowcount={isComplete ? rows.length + 1 : -1}>
      <div role="rowgroup">{head}</div>
      <div
        ref={list}
        role="rowgroup"
        className="relative"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map((item) => {
          const row = rows[item.index]
          return row === undefined ? null : (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
            >
              {render(row)}
            </div>
          )
        })}
      </div>
    </div>
  )
}
