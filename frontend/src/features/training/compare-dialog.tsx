import { DataTable } from '@/components/data-table'
import { Dialog } from '@/components/dialog'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { useMe } from '@/lib/api/queries'
import { formatPoints, formatSigned, UNKNOWN } from '@/lib/format'

import { AgentDifferences } from './agent-differences'
import { AskBoth } from './ask-both'
import { differingSettings, holdsAgents, metricsOf, poolOf } from './checkpoint-values'
import { isShare, metricFormat, metricName } from './metric-name'
import { METRICS, text } from '@/strings/training'

const { checkpoints: words } = text

interface Props {
  left: Checkpoint
  right: Checkpoint
  onClose: () => void
}

/** Two checkpoints: their metrics with the difference, and the settings that differ. */
export function CompareDialog({ left, right, onClose }: Readonly<Props>) {
  const [ours, theirs] = [metricsOf(left), metricsOf(right)]
  const metrics = Object.keys(METRICS).filter((key) => key in ours || key in theirs)
  const settings = differingSettings(left, right)
  const pool = poolOf(right) ?? poolOf(left)
  const mayRun = useMe()?.permissions.run ?? false
  return (
    <Dialog isOpen wide onClose={onClose} title={words.compareTitle}>
      <div className="-m-4 flex flex-col gap-4">
        <DataTable
          label={words.compareTitle}
          rows={metrics}
          keyOf={(key) => key}
          columns={[
            {
              key: 'metric',
              head: words.metric,
              isRowHead: true,
              className: 'min-w-32',
              render: (key) => metricName(key),
            },
            {
              key: 'left',
              head: <Name name={left.name} />,
              numeric: true,
              render: (key) => metricFormat(key)(ours[key]),
            },
            {
              key: 'right',
              head: <Name name={right.name} />,
              numeric: true,
              render: (key) => metricFormat(key)(theirs[key]),
            },
            {
              key: 'difference',
              head: words.difference,
              numeric: true,
              render: (key) => differenceText(key, ours[key], theirs[key]),
            },
          ]}
        />
        {holdsAgents(left) && holdsAgents(right) && pool !== null ? (
          <AgentDifferences left={left.name} right={right.name} pool={pool} />
        ) : null}
        {mayRun ? (
          <div className="px-4">
            <AskBoth left={left} right={right} />
          </div>
        ) : null}
        <section className="flex flex-col gap-1 pb-4">
          <h3 className="px-4 text-xs font-semibold text-ink-2">{words.differing}</h3>
          {settings.length === 0 ? (
            <p className="px-4 text-ink-2">{words.sameSettings}</p>
          ) : (
            <DataTable
              label={words.differing}
              rows={settings}
              keyOf={({ name }) => name}
              columns={[
                {
                  key: 'name',
                  head: words.setting,
                  isRowHead: true,
                  render: ({ name }) => <span className="font-mono text-xs">{name}</span>,
                },
                { key: 'left', head: <Name name={left.name} />, render: (row) => row.left },
                { key: 'right', head: <Name name={right.name} />, render: (row) => row.right },
              ]}
            />
          )}
        </section>
      </div>
    </Dialog>
  )
}

/** Names of checkpoints are long; the numbers below them are not. */
const Name = ({ name }: Readonly<{ name: string }>) => (
  <span className="inline-block max-w-36 break-words whitespace-normal">{name}</span>
)

function differenceText(key: string, left: number | undefined, right: number | undefined): string {
  if (left === undefined || right === undefined) return UNKNOWN
  return isShare(key) ? formatPoints(right - left) : formatSigned(right - left)
}
