import { ChartLine, Table2 } from 'lucide-react'
import { useCallback, useMemo, useState, type ReactNode } from 'react'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { valueAt } from '@/components/chart/band'
import type { Band, Quantity, Value } from '@/components/chart/chart-options'
import { LineChart } from '@/components/chart/line-chart'
import { isSameRange, type Range } from '@/components/chart/zoom'
import { cx } from '@/components/cx'
import { DataTable, type Column } from '@/components/data-table'

import { text } from '@/strings/agents'

const BIG = 220
const SMALL = 160

export interface Series {
  readonly name: string
  readonly quantity: Quantity
  readonly values: Value[]
  readonly band?: Band | null
}

interface Props {
  title: string
  /** Names the table. */
  label: string
  /** Ascending whole numbers; empty: there is nothing to draw. */
  steps: number[]
  series: readonly Series[]
  stepHead: string
  stepName: (step: number) => string
  stepFormat: (step: number) => string
  chartName: (series: string) => string
  /** Further columns of the table; a row is a place in `steps`. */
  columns?: readonly Column<number>[]
  actions?: ReactNode
  /** Above the charts. */
  children: ReactNode
}

/** Quantities over the same steps, the first large; as charts or as one table. One of which nothing is
 * known has no chart. */
export function SeriesCard(props: Readonly<Props>) {
  const { title, label, steps, series, stepHead, stepName, columns = [], actions, children } = props
  const [asTable, setAsTable] = useState(false)
  const isEmpty = steps.length === 0
  return (
    <Card
      flush
      title={title}
      actions={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {actions}
          {isEmpty ? null : (
            <Button
              size="sm"
              onPress={() => setAsTable(!asTable)}
              icon={
                asTable ? <ChartLine size={14} aria-hidden /> : <Table2 size={14} aria-hidden />
              }
            >
              {asTable ? text.series.chart : text.series.table}
            </Button>
          )}
        </div>
      }
    >
      {children}
      {isEmpty || asTable ? null : <Charts {...props} />}
      {!isEmpty && asTable ? (
        <div className="max-h-[28rem] overflow-y-auto border-t border-line">
          <DataTable
            label={label}
            rows={steps.map((_, place) => place).reverse()}
            keyOf={String}
            columns={[
              {
                key: 'step',
                head: stepHead,
                isRowHead: true,
                className: 'whitespace-nowrap',
                render: (place) => stepName(steps[place] ?? 0),
              },
              ...series.map(({ name, quantity, ...line }) => ({
                key: quantity.key,
                head: name,
                numeric: true,
                render: (place: number) => valueAt(line, place, quantity.format).join(' '),
              })),
              ...columns,
            ]}
          />
        </div>
      ) : null}
    </Card>
  )
}

function Charts({ title, steps, series, stepName, stepFormat, chartName }: Readonly<Props>) {
  const [zoom, setZoom] = useState<Range | null>(null)
  const [selected, setSelected] = useState<number | null>(null)
  const onZoom = useCallback(
    (range: Range | null) => setZoom((known) => (isSameRange(known, range) ? known : range)),
    [],
  )
  return (
    <div className="grid gap-x-6 gap-y-4 px-4 pt-1 pb-4 lg:grid-cols-2">
      {series.map(({ name, quantity, values, band = null }, index) =>
        values.every((value) => value === null) ? null : (
          <section key={quantity.key} className={cx('min-w-0', index === 0 && 'lg:col-span-2')}>
            <h3 className="pb-1 text-xs font-semibold text-ink-2">{name}</h3>
            <OneChart
              label={chartName(name)}
              name={name}
              steps={steps}
              values={values}
              band={band}
              quantity={quantity}
              place={index}
              stepName={stepName}
              stepFormat={stepFormat}
              sync={title}
              height={index === 0 ? BIG : SMALL}
              selected={selected}
              onPick={(step) => setSelected(step === selected ? null : step)}
              zoom={zoom}
              onZoom={onZoom}
            />
          </section>
        ),
      )}
    </div>
  )
}

interface OneProps extends Omit<
  Parameters<typeof LineChart>[0],
  'lines' | 'help' | 'isSmoothed' | 'quantity'
> {
  name: string
  values: Value[]
  band: Band | null
  quantity: Quantity
  /** Which colour and dash. */
  place: number
}

function OneChart({ name, values, band, place, ...rest }: Readonly<OneProps>) {
  const lines = useMemo(
    () => [{ id: name, name, series: place, values, smooth: [], band }],
    [name, place, values, band],
  )
  return <LineChart lines={lines} help={text.series.keys} isSmoothed={false} {...rest} />
}
