import { Link } from 'react-router'

import { Card } from '@/components/card'
import { StatusBadge } from '@/components/badge'
import { ScrollRegion } from '@/components/scroll-region'
import type { RunView } from '@/graph/run-view'
import { tokensOf, totalsOf } from '@/graph/totals'
import { useMethodName } from '@/lib/api/queries'
import { formatCost, formatCount, formatSeconds, UNKNOWN } from '@/lib/format'

import { text } from './compare-strings'

const words = text.facts

interface Props {
  left: RunView
  right: RunView
}

/** What was run and what it took, side by side, and by how much the right one is more. */
export function FactsTable({ left, right }: Readonly<Props>) {
  const methodName = useMethodName()
  const sides = [left, right]
  const totals = sides.map(totalsOf)
  const texts = (name: string, read: (view: RunView) => string) => ({
    name,
    values: sides.map(read),
    difference: '',
  })
  const numbers = (
    name: string,
    read: (index: number) => number | null,
    format: (value: number | null) => string,
  ) => {
    const values = [read(0), read(1)]
    return { name, values: values.map(format), difference: differenceOf(values, format) }
  }
  const rows = [
    texts(words.method, ({ detail }) => methodName(detail?.method ?? '')),
    ...(sides.some(({ detail }) => detail?.checkpoint)
      ? [texts(words.checkpoint, ({ detail }) => detail?.checkpoint ?? UNKNOWN)]
      : []),
    texts(words.endpoint, ({ detail }) => detail?.endpoint ?? UNKNOWN),
    texts(words.answer, ({ detail }) => detail?.answer ?? UNKNOWN),
    ...(sides.some(({ detail }) => detail?.correct != null)
      ? [texts(words.verdict, verdictOf)]
      : []),
    numbers(words.agents, (index) => totals[index]?.agents ?? null, formatCount),
    numbers(words.prompt, (index) => totals[index]?.usage?.promptTokens ?? null, formatCount),
    numbers(
      words.completion,
      (index) => totals[index]?.usage?.completionTokens ?? null,
      formatCount,
    ),
    numbers(words.tokens, (index) => tokensOf(totals[index]?.usage ?? null), formatCount),
    numbers(words.cost, (index) => totals[index]?.usage?.cost ?? null, formatCost),
    numbers(words.seconds, (index) => totals[index]?.seconds ?? null, formatSeconds),
  ]
  return (
    <Card flush>
      <ScrollRegion label={words.label} className="overflow-x-auto">
        <table aria-label={words.label} className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-left">
              <th scope="col" className="px-2.5 sm:px-4 py-2 text-xs font-semibold text-ink-3">
                <span className="sr-only">{words.fact}</span>
              </th>
              {sides.map((view, index) => (
                <th key={index} scope="col" className="px-2.5 sm:px-4 py-2 font-semibold">
                  <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                    <Link to={`/runs/${view.runId}`} className="text-accent underline">
                      {index === 0 ? text.left : text.right}
                    </Link>
                    <StatusBadge status={view.status} />
                  </span>
                </th>
              ))}
              <th
                scope="col"
                className="px-2.5 py-2 text-right font-semibold whitespace-nowrap sm:px-4"
              >
                {words.difference}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, values, difference }) => (
              <tr key={name} className="border-b border-line last:border-b-0">
                <th
                  scope="row"
                  className="px-2.5 py-1.5 text-left font-normal whitespace-nowrap text-ink-3 sm:px-4"
                >
                  {name}
                </th>
                {values.map((value, index) => (
                  <td
                    key={index}
                    className={
                      values[0] === values[1]
                        ? 'min-w-28 px-2.5 py-1.5 break-words text-ink-2 sm:px-4'
                        : 'min-w-28 px-2.5 py-1.5 font-medium break-words sm:px-4'
                    }
                  >
                    {value}
                  </td>
                ))}
                <td className="px-2.5 sm:px-4 py-1.5 text-right whitespace-nowrap">{difference}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  )
}

function verdictOf({ detail }: RunView): string {
  if (detail?.correct == null) return UNKNOWN
  return detail.correct ? words.right : words.wrong
}

/** “+120”, “−3”, or nothing where one side is unknown or both are the same. */
function differenceOf(
  [left = null, right = null]: readonly (number | null)[],
  format: (value: number | null) => string,
): string {
  if (left === null || right === null || left === right) return ''
  return `${right > left ? '+' : '−'}${format(Math.abs(right - left))}`
}
