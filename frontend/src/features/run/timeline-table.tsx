import { StatusIcon } from '@/components/run/agent-look'
import { text } from '@/strings/run'
import { text as words } from '@/strings/timeline'
import { ScrollRegion } from '@/components/scroll-region'
import type { Timeline } from '@/graph/timeline'
import { formatCost, formatCount, formatSeconds } from '@/lib/format'

/** The same numbers as the bars, for reading and for assistive technology. */
export function TimelineTable({ timeline }: Readonly<{ timeline: Timeline }>) {
  const { facts } = text.agent
  const column = timeline.rows.find(({ fact }) => fact !== null)?.fact?.title
  return (
    <ScrollRegion label={words.label} className="min-h-0 flex-1 overflow-auto">
      <table className="w-full border-collapse text-sm [&_td]:px-3 [&_td]:py-1.5 [&_th]:px-3 [&_th]:py-1.5">
        <thead className="text-xs text-ink-3">
          <tr className="border-b border-line [&_th]:text-right [&_th]:font-medium">
            <th scope="col" className="!text-left">
              {words.name}
            </th>
            {column ? (
              <th scope="col" className="!text-left">
                {column}
              </th>
            ) : null}
            <th scope="col">{words.start}</th>
            <th scope="col">{words.duration}</th>
            <th scope="col">{facts.prompt}</th>
            <th scope="col">{facts.completion}</th>
            <th scope="col">{facts.cost}</th>
          </tr>
        </thead>
        <tbody>
          {timeline.rows.map((row) => (
            <tr key={row.id} className="border-b border-line [&_td]:text-right">
              <th scope="row" className="text-left font-medium">
                <span className="flex items-center gap-2" style={{ paddingLeft: row.depth * 16 }}>
                  <StatusIcon status={row.status} size={12} named />
                  {row.label}
                </span>
              </th>
              {column ? (
                <td className="max-w-72 truncate !text-left" title={row.fact?.text}>
                  {row.fact?.short}
                </td>
              ) : null}
              <td>{formatSeconds(row.start)}</td>
              <td>{row.open ? words.open : formatSeconds(row.end - row.start)}</td>
              <td>{row.kind === 'tool' ? '' : formatCount(row.usage?.promptTokens)}</td>
              <td>{row.kind === 'tool' ? '' : formatCount(row.usage?.completionTokens)}</td>
              <td>{row.kind === 'tool' ? '' : formatCost(row.usage?.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
