import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'

import { Checkbox } from '@/components/checkbox'
import type { RunSummary } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { RunRow, COLUMNS, headerClass } from './run-row'
import type { Selection } from './selection'

const { columns } = strings.runs
const heads: readonly (readonly [key: keyof typeof columns, className: string])[] = [
  ['status', ''],
  ['query', ''],
  ['answer', ''],
  ['agents', 'text-right'],
  ['tokens', 'text-right'],
  ['cost', 'text-right'],
  ['seconds', 'text-right'],
  ['when', ''],
]

interface Props {
  rows: readonly RunSummary[]
  /** Whether these are all; otherwise the table's full length is unknown. */
  isComplete: boolean
  selection: Selection
}

/** Only rows near the window exist, so ten thousand scroll like ten. On a phone each row is a card. */
export function RunTable({ rows, isComplete, selection }: Readonly<Props>) {
  const list = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (list.current) setTop(list.current.getBoundingClientRect().top + globalThis.scrollY)
  }, [])
  // The compiler cannot memoise what the virtualizer returns; its parts are used here alone.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 61,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  const chooseAll = (
    <Checkbox isSelected={selection.isAll} onChange={selection.toggleAll}>
      <span className="lg:sr-only">{strings.runs.bulk.all}</span>
    </Checkbox>
  )
  return (
    <>
      <div className="border-b border-line px-4 py-2 lg:hidden">{chooseAll}</div>
      <div
        role="table"
        aria-label={strings.runs.title}
        aria-rowcount={isComplete ? rows.length + 1 : -1}
      >
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={`${COLUMNS} ${headerClass}`}>
            <span role="columnheader">{chooseAll}</span>
            {heads.map(([key, className]) => (
              <span key={key} role="columnheader" className={className}>
                {columns[key]}
              </span>
            ))}
            <span role="columnheader">
              <span className="sr-only">{columns.actions}</span>
            </span>
          </div>
        </div>
        <div
          ref={list}
          role="rowgroup"
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map((item) => {
            const run = rows[item.index]
            return run ? (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                role="row"
                aria-rowindex={item.index + 2}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
              >
                <RunRow run={run} selection={selection} />
              </div>
            ) : null
          })}
        </div>
      </div>
    </>
  )
}
