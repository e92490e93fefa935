import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'

import { nextSort, sortRows, type Direction, type Sort, type SortValue } from '@/lib/sorting'

import { cx } from './cx'
import { ScrollRegion } from './scroll-region'

export interface Column<T> {
  readonly key: string
  readonly head: ReactNode
  readonly render: (row: T) => ReactNode
  /** With a value a column can be sorted. */
  readonly value?: (row: T) => SortValue
  readonly first?: Direction
  readonly numeric?: boolean
  readonly title?: string
  readonly className?: string
  /** The cell that names its row. */
  readonly isRowHead?: boolean
}

/** A column of numbers. */
export const numberColumn = <T,>(
  key: string,
  head: ReactNode,
  render: (row: T) => ReactNode,
  title?: string,
  more: Partial<Column<T>> = {},
): Column<T> => ({ key, head, title, numeric: true, render, ...more })

interface Props<T> {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  sort?: Sort | null
  onSort?: (sort: Sort) => void
  rowClass?: (row: T) => string
}

/** A table of numbers: sortable where asked for, sideways scrollable where the window is too narrow. */
export function DataTable<T>(props: Readonly<Props<T>>) {
  const { label, columns, rows, keyOf, sort = null, onSort, rowClass } = props
  const sorted = columns.find(({ key }) => key === sort?.column)
  const shown = sort && sorted?.value ? sortRows(rows, sorted.value, sort.direction) : rows
  return (
    <ScrollRegion label={label} className="overflow-x-auto focus-visible:-outline-offset-2">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line bg-surface-0 text-left text-xs text-ink-3">
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr
              key={keyOf(row)}
              className={cx('border-b border-line bg-surface-1 last:border-b-0', rowClass?.(row))}
            >
              {columns.map((column) => (
                <BodyCell key={column.key} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface HeadProps<T> {
  column: Column<T>
  sort: Sort | null
  onSort: ((sort: Sort) => void) | undefined
}

function HeadCell<T>({ column, sort, onSort }: Readonly<HeadProps<T>>) {
  const { key, head, numeric = false, first = numeric ? 'descending' : 'ascending' } = column
  const direction = sort?.column === key ? sort.direction : null
  const Icon = direction === null ? ChevronsUpDown : direction === 'ascending' ? ArrowUp : ArrowDown
  const canSort = column.value !== undefined && onSort !== undefined
  return (
    <th
      scope="col"
      title={column.title}
      {...(direction ? { 'aria-sort': direction } : {})}
      className={cx(
        'px-3 py-2 align-bottom font-medium whitespace-nowrap first:pl-4 last:pr-4',
        numeric && 'text-right',
        column.className,
      )}
    >
      {canSort ? (
        <button
          type="button"
          onClick={() => onSort(nextSort(sort, key, first))}
          className={cx(
            'inline-flex items-center gap-1 rounded-sm align-middle hover:text-ink',
            numeric && 'flex-row-reverse',
            direction && 'text-ink',
          )}
        >
          {head}
          <Icon size={12} aria-hidden className={direction ? '' : 'opacity-60'} />
        </button>
      ) : (
        head
      )}
    </th>
  )
}

function BodyCell<T>({ column, row }: Readonly<{ column: Column<T>; row: T }>) {
  const className = cx(
    'px-3 py-2 align-middle first:pl-4 last:pr-4',
    column.numeric && 'text-right whitespace-nowrap',
    column.className,
  )
  return column.isRowHead ? (
    <th scope="row" className={cx('text-left font-medium', className)}>
      {column.render(row)}
    </th>
  ) : (
    <td className={className}>{column.render(row)}</td>
  )
}
