import type { ReactNode } from 'react'

import { cx } from '@/components/cx'
import { ScrollRegion } from '@/components/scroll-region'

import { text } from '@/strings/compare'
import { isDifferent, type Pair, type Row } from './rows'

const CELL = 'px-2 py-1.5 first:pl-4 last:pr-4'

interface Props {
  label: string
  heads: Pair<ReactNode>
  rows: readonly Row[]
}

/** Facts of both sides; those in which they differ stand out. */
export function SidesTable({ label, heads, rows }: Readonly<Props>) {
  return (
    <ScrollRegion label={label} className="overflow-x-auto">
      <table aria-label={label} className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            <th scope="col" className={CELL}>
              <span className="sr-only">{text.facts.fact}</span>
            </th>
            {heads.map((head, index) => (
              <th key={index} scope="col" className={`${CELL} font-semibold`}>
                {head}
              </th>
            ))}
            <th
              scope="col"
              className={`${CELL} text-right font-semibold whitespace-nowrap max-sm:text-xs`}
            >
              {text.facts.difference}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="border-b border-line last:border-b-0">
              <th
                scope="row"
                className={`${CELL} text-left font-normal wrap-normal text-ink-3 sm:whitespace-nowrap`}
              >
                {row.name}
              </th>
              {row.values.map((value, index) => (
                <td
                  key={index}
                  className={cx(
                    CELL,
                    row.isNumber ? 'whitespace-nowrap' : 'min-w-20 wrap-anywhere',
                    isDifferent(row) ? 'font-medium' : 'text-ink-2',
                  )}
                >
                  {value}
                </td>
              ))}
              <td className={`${CELL} text-right whitespace-nowrap`}>{row.difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
