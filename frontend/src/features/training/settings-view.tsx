import { useQuery } from '@tanstack/react-query'

import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { DataTable } from '@/components/data-table'
import { Fact } from '@/components/fact'
import { configFields, valueText } from '@/lib/config-schema'
import { formatCost, formatCount, formatSeconds, textOr, UNKNOWN } from '@/lib/format'

import { text } from '@/strings/training'
import { trainableQuery, type Training } from './use-training'

const { settings: words } = text

/** Every setting with its meaning; what differs from the preset is marked. */
export function SettingsView({ job }: Readonly<{ job: Training }>) {
  const method = useQuery(trainableQuery).data?.find((each) => each.method === job.method)
  const fields = new Map(configFields(method?.config_schema).map((field) => [field.key, field]))
  const preset = method?.presets[job.preset] ?? {}
  const order = [...fields.keys()]
  const place = (key: string): number => (fields.has(key) ? order.indexOf(key) : order.length)
  const settings = Object.entries(job.config).sort(([a], [b]) => place(a) - place(b))
  const rows = settings.map(([key, value]) => ({
    key,
    label: fields.get(key)?.label ?? key,
    help: fields.get(key)?.help ?? '',
    value,
    isChanged: key in preset && JSON.stringify(preset[key]) !== JSON.stringify(value),
  }))
  return (
    <div className="flex flex-col gap-4">
      <Card
        title={words.reproduce}
        actions={<CopyButton wide text={JSON.stringify(job.config, null, 2)} />}
      >
        <dl className="grid grid-cols-2 gap-3 sm:flex sm:flex-wrap sm:gap-x-8">
          <Fact name={words.code}>{textOr(job.code_version)}</Fact>
          <Fact name={words.digest} title={job.dataset_digest}>
            <span className="font-mono text-xs">{textOr(job.dataset_digest.slice(0, 16))}</span>
          </Fact>
          <Fact name={text.facts.seed}>{job.seed}</Fact>
        </dl>
      </Card>
      <Card title={words.limits}>
        <dl className="grid gap-3 sm:flex sm:flex-wrap sm:gap-x-8">
          {job.endpoint === null ? null : (
            <>
              <Fact name={words.whole}>{limitsOf(job.budget)}</Fact>
              <Fact name={words.perSystem}>{limitsOf(job.per_system)}</Fact>
            </>
          )}
          <Fact name={text.form.keep}>{formatCount(job.keep_checkpoints)}</Fact>
        </dl>
      </Card>
      <Card flush title={words.title}>
        <DataTable
          label={words.title}
          rows={rows}
          keyOf={({ key }) => key}
          columns={[
            {
              key: 'name',
              head: words.name,
              isRowHead: true,
              className: 'min-w-40',
              render: ({ label, isChanged, help }) => (
                <>
                  <span className="flex flex-wrap items-center gap-1.5">
                    {label}
                    {isChanged ? <Badge tone="accent">{words.changed}</Badge> : null}
                  </span>
                  <span className="text-xs font-normal text-ink-2 sm:hidden">{help}</span>
                </>
              ),
            },
            {
              key: 'value',
              head: words.value,
              className: 'min-w-20',
              render: ({ value }) => (
                <span className="font-mono text-xs">
                  {value === null ? UNKNOWN : valueText(value)}
                </span>
              ),
            },
            {
              key: 'meaning',
              head: words.meaning,
              className: 'w-full min-w-56 text-ink-2 max-sm:hidden',
              render: ({ help }) => help,
            },
          ]}
        />
      </Card>
    </div>
  )
}

type Limits = Partial<Record<keyof Training['per_system'], number | null>>

/** Only what is limited: "60,000 tokens, 512 tokens per reply, 5 min 00 s". */
function limitsOf(limits: Limits): string {
  const { max_tokens, max_completion_tokens_per_call: reply, max_seconds, max_cost } = limits
  const told = [
    max_tokens == null ? '' : words.tokens(formatCount(max_tokens)),
    reply == null ? '' : words.reply(formatCount(reply)),
    max_seconds == null ? '' : formatSeconds(max_seconds),
    max_cost == null ? '' : formatCost(max_cost),
  ]
  return told.filter(Boolean).join(', ') || text.noLimit
}
