import { ChartLine, Table2 } from 'lucide-react'
import { useMemo, useState } from 'react'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { DataTable } from '@/components/data-table'
import { formatCount, formatShare, UNKNOWN } from '@/lib/format'
import { useWidth } from '@/lib/use-size'

import { text } from '@/strings/evaluations'
import { rangeText } from './range-text'
import { budgetsOf, curvesOf, type BudgetPoint, type Curve } from './token-curves'
import { TokenChart } from './token-chart'

interface Props {
  points: readonly BudgetPoint[]
  labels: readonly string[]
}

/** What each arm had answered rightly when so many tokens were spent, as a chart and as a table. */
export function EqualTokens({ points, labels }: Readonly<Props>) {
  const [asTable, setAsTable] = useState(false)
  const [measure, width] = useWidth()
  const curves = useMemo(() => curvesOf(points, labels), [points, labels])
  const budgets = useMemo(() => budgetsOf(points), [points])
  const { equal } = text
  return (
    <Card
      flush
      title={equal.title}
      actions={
        <Button
          size="sm"
          isDisabled={points.length === 0}
          onPress={() => setAsTable(!asTable)}
          icon={asTable ? <ChartLine size={14} aria-hidden /> : <Table2 size={14} aria-hidden />}
        >
          {asTable ? equal.drawn : equal.table}
        </Button>
      }
    >
      <p className="max-w-3xl px-4 pt-2.5 text-xs text-ink-2">{equal.help}</p>
      {points.length === 0 ? <p className="px-4 py-6 text-ink-3">{equal.empty}</p> : null}
      {points.length > 0 && asTable ? (
        <div className="mt-2.5 border-t border-line">
          <BudgetTable curves={curves} budgets={budgets} />
        </div>
      ) : null}
      <div ref={measure} className={points.length === 0 || asTable ? 'hidden' : 'px-4 pb-4'}>
        {points.length > 0 && width > 0 ? (
          <TokenChart curves={curves} budgets={budgets} width={width} />
        ) : null}
      </div>
    </Card>
  )
}

interface TableProps {
  curves: readonly Curve[]
  budgets: readonly number[]
}

function BudgetTable({ curves, budgets }: Readonly<TableProps>) {
  const cell = ({ points }: Curve, budget: number): string => {
    const point = points.find((each) => each.budget === budget)
    if (!point) return UNKNOWN
    const range = rangeText(point.interval, formatShare)
    return range ? `${formatShare(point.accuracy)} (${range})` : formatShare(point.accuracy)
  }
  return (
    <DataTable
      label={text.equal.title}
      rows={budgets}
      keyOf={String}
      columns={[
        {
          key: 'budget',
          head: text.equal.budget,
          isRowHead: true,
          render: (budget: number) => formatCount(budget),
        },
        ...curves.map((curve) => ({
          key: curve.label,
          head: curve.label,
          numeric: true,
          render: (budget: number) => cell(curve, budget),
        })),
      ]}
    />
  )
}
