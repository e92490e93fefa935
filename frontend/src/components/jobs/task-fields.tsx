import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Card } from '@/components/card'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { SPLITS, splitOr, type Split, type Splits } from '@/lib/splits'
import { jobs, taskFields as words } from '@/strings/jobs'

interface Tasks {
  readonly dataset: string | null
  readonly split: Split
  readonly limit: number | null
}

interface Props {
  title: string
  draft: Tasks & { readonly change: (part: Partial<Tasks>) => void }
  onDataset: (chosen: Splits, split: Split) => Partial<Tasks>
  /** The split to be careful with, and why. */
  warning: readonly [split: Split, text: string]
  error: ApiError | null
  /** The columns, with those of the fields that follow. */
  layout: string
  /** On a phone the dataset has a line to itself. */
  wide?: boolean
  children: ReactNode
}

/** Which tasks a training or an evaluation uses: dataset, split and how many of it. */
export function TaskFields(props: Readonly<Props>) {
  const { title, draft, onDataset, warning, error, layout, wide = false, children } = props
  const datasets = useQuery(queries.datasets).data
  const dataset = datasets?.find(({ key }) => key === draft.dataset)
  const available = dataset?.splits[draft.split]
  return (
    <Card title={title}>
      <div className={`grid grid-cols-2 items-start gap-3 ${layout}`}>
        <Select
          label={words.dataset}
          className={wide ? 'max-lg:col-span-2' : ''}
          options={(datasets ?? []).map(({ key, name, splits }) => ({
            key,
            label: name || key,
            description: SPLITS.map((split) => `${split} ${formatCount(splits[split])}`).join(', '),
          }))}
          value={dataset?.key ?? null}
          onChange={(key) => {
            const chosen = datasets?.find((each) => each.key === key)
            if (chosen) draft.change(onDataset(chosen, draft.split))
          }}
          error={fieldMessage(error, 'dataset')}
        />
        <Select
          label={words.split}
          options={SPLITS.map((key) => ({
            key,
            label: key,
            description: dataset
              ? jobs.tasks(dataset.splits[key], formatCount(dataset.splits[key]))
              : '',
          }))}
          value={draft.split}
          onChange={(key) => draft.change({ split: splitOr(key, draft.split) })}
          error={
            fieldMessage(error, 'split') ??
            (available === 0 ? words.emptySplit(draft.split) : undefined)
          }
        />
        <NumberField
          label={words.limit}
          value={draft.limit}
          onChange={(limit) => draft.change({ limit })}
          minimum={1}
          integer
          placeholder={available ? words.all(formatCount(available)) : ''}
          aside={available ? ofAll(draft.limit, available) : undefined}
          error={fieldMessage(error, 'limit')}
        />
        {children}
      </div>
      {draft.split === warning[0] ? <p className="mt-2 text-xs text-warn">{warning[1]}</p> : null}
      {datasets?.length === 0 ? (
        <p className="mt-2 text-ink-2">
          {words.noDataset}{' '}
          <Link to="/datasets" className="text-accent underline underline-offset-2">
            {words.addDataset}
          </Link>
        </p>
      ) : null}
    </Card>
  )
}

/** A limit that the split does not reach is all of it. */
const ofAll = (limit: number | null, available: number): string =>
  (limit !== null && limit > available ? words.all : words.of)(formatCount(available))
