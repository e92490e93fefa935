import type { ReactNode } from 'react'

import { ScrollRegion } from '@/components/scroll-region'

import { text } from '@/strings/compare'
import { isDifferent, type Pair, type Row } from './rows'

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
            <th scope="col" className="px-2.5 py-2 sm:px-4">
              <span className="sr-only">{text.facts.fact}</span>
            </th>
            {heads.map((head, index) => (
              <th key={index} scope="col" className="px-2.5 py-2 font-semibold sm:px-4">
                {head}
              </th>
            ))}
            <th scope="col" className="px-2.5 py-2 text-right font-semibold sm:px-4">
              {text.facts.difference}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="border-b border-line last:border-b-0">
              <th
                scope="row"
                className="px-2.5 py-1.5 text-left font-normal text-ink-3 sm:px-4 sm:whitespace-nowrap"
              >
                {row.name}
              </th>
              {row.values.map((value, index) => (
                <td
                  key={index}
                  className={`px-2.5 py-1.5 wrap-anywhere sm:px-4 ${isDifferent(row) ? 'font-medium' : 'text-ink-2'}`}
                >
                  {value}
                </td>
              ))}
              <td className="px-2.5 py-1.5 text-right whitespace-nowrap sm:px-4">
                {row.difference}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
