import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card } from '@/components/card'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'

import { text } from '@/strings/evaluations'
import { SPLITS, splitOr } from '@/lib/splits'
import { onDataset, useFormDraft } from './form-draft'

const { form } = text

/** A limit that the split does not reach is all of it. */
const ofAll = (limit: number | null, available: number): string =>
  (limit !== null && limit > available ? form.limitAll : form.limitOf)(formatCount(available))

/** Which tasks every arm answers. */
export function TaskFields({ error }: Readonly<{ error: ApiError | null }>) {
  const draft = useFormDraft()
  const datasets = useQuery(queries.datasets).data
  const dataset = datasets?.find(({ key }) => key === draft.dataset)
  const available = dataset?.splits[draft.split]
  const sizes = (key: string): string => {
    const splits = datasets?.find((each) => each.key === key)?.splits
    return splits ? SPLITS.map((split) => `${split} ${formatCount(splits[split])}`).join(', ') : ''
  }
  return (
    <Card title={form.tasks}>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-[2fr_1fr_1fr_1fr]">
        <Select
          label={form.dataset}
          className="max-lg:col-span-2"
          options={(datasets ?? []).map(({ key, name }) => ({
            key,
            label: name || key,
            description: sizes(key),
          }))}
          value={dataset?.key ?? null}
          onChange={(key) => {
            const chosen = datasets?.find((each) => each.key === key)
            if (chosen) draft.change(onDataset(chosen, draft.split))
          }}
          error={fieldMessage(error, 'dataset')}
        />
        <Select
          label={form.split}
          options={SPLITS.map((key) => ({
            key,
            label: form.splits[key],
            description: dataset
              ? text.tasks(dataset.splits[key], formatCount(dataset.splits[key]))
              : '',
          }))}
          value={draft.split}
          onChange={(key) => draft.change({ split: splitOr(key, 'dev') })}
          error={
            fieldMessage(error, 'split') ??
            (available === 0 ? form.emptySplit(draft.split) : undefined)
          }
        />
        <NumberField
          label={form.limit}
          value={draft.limit}
          onChange={(limit) => draft.change({ limit })}
          minimum={1}
          integer
          placeholder={available ? form.limitAll(formatCount(available)) : ''}
          aside={available ? ofAll(draft.limit, available) : undefined}
          error={fieldMessage(error, 'limit')}
        />
        <NumberField
          label={form.repeats}
          value={draft.repeats}
          onChange={(repeats) => draft.change({ repeats: repeats ?? 1 })}
          minimum={1}
          maximum={100}
          integer
          help={form.repeatsHelp}
          error={fieldMessage(error, 'repeats')}
        />
      </div>
      {draft.split === 'train' ? <p className="mt-2 text-xs text-warn">{form.trainSplit}</p> : null}
      {datasets?.length === 0 ? (
        <p className="mt-2 text-ink-2">
          {form.noDataset}{' '}
          <Link to="/datasets" className="text-accent underline underline-offset-2">
            {form.addDataset}
          </Link>
        </p>
      ) : null}
    </Card>
  )
}
