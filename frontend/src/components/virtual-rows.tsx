import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, type ReactNode } from 'react'

interface Props {
  scroller: HTMLElement | null
  rowHeight: number
  /** One of each row. */
  keys: readonly string[]
  render: (index: number) => ReactNode
  /** Scrolls to this row whenever it changes. */
  target: number | null
  /** The same. */
  follow: number | null
}

/** Of its rows only those in view exist. */
export function VirtualRows({
  scroller,
  rowHeight,
  keys,
  render,
  target,
  follow,
}: Readonly<Props>) {
  // The compiler cannot memoise what the virtualizer returns; this component is small and calls it alone.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  useEffect(() => {
    if (target !== null) virtualizer.scrollToIndex(target)
  }, [target, virtualizer])
  useEffect(() => {
    if (follow !== null && scroller) virtualizer.scrollToIndex(follow)
  }, [follow, scroller, virtualizer])
  return (
    <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => (
        <div
          key={keys[index]}
          role="presentation"
          className="absolute inset-x-0 top-0"
          style={{ height: rowHeight, transform: `translateY(${start}px)` }}
        >
          {render(index)}
        </div>
      ))}
    </div>
  )
}
