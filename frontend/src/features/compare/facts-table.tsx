import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card } from '@/components/card'
import { currentAttempt, type RunView } from '@/graph/run-view'
import { totalsOf } from '@/graph/totals'
import { queries } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

import { askedRows } from './asked-rows'
import { text } from '@/strings/compare'
import { both, numberRow, spentRows, textRow, type Row } from './rows'
import { SidesTable } from './sides-table'

const words = text.facts

interface Props {
  left: RunView
  right: RunView
}

/** What was run and what it took, side by side. */
export function FactsTable({ left, right }: Readonly<Props>) {
  const methods = useQuery(queries.methods).data
  const sides = [left, right] as const
  const totals = both(sides, totalsOf)
  const rows: Row[] = [
    ...askedRows(sides, methods),
    textRow(
      words.status,
      both(sides, ({ status }) => strings.status[status]),
    ),
    textRow(words.answer, both(sides, answerOf)),
    ...(sides.some(({ detail }) => detail?.correct != null)
      ? [textRow(words.verdict, both(sides, verdictOf))]
      : []),
    numberRow(
      words.agents,
      both(totals, ({ agents }) => agents),
      formatCount,
    ),
    ...spentRows(totals),
  ]
  return (
    <Card flush>
      <SidesTable
        label={words.label}
        rows={rows}
        heads={[
          <RunLink key="left" id={left.runId} name={text.left} />,
          <RunLink key="right" id={right.runId} name={text.right} />,
        ]}
      />
    </Card>
  )
}

function RunLink({ id, name }: Readonly<{ id: string; name: string }>) {
  return (
    <Link to={`/runs/${id}`} className="text-accent underline">
      {name}
    </Link>
  )
}

const answerOf = (view: RunView): string | null =>
  currentAttempt(view)?.outcome?.answer ?? view.detail?.answer ?? null

function verdictOf({ detail }: RunView): string | null {
  if (detail?.correct == null) return null
  return detail.correct ? words.right : words.wrong
}
