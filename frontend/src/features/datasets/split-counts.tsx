import { NumberField } from '@/components/number-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import type { Split } from '@/lib/splits'
import { text } from '@/strings/datasets'

/** null: an empty field, which is none. */
export type Counts = Readonly<Record<Split, number | null>>

interface Props {
  legend: string
  splits: readonly Split[]
  help?: (split: Split) => string
  counts: Counts
  onChange: (split: Split, count: number | null) => void
  total: string
  error: ApiError | null
}

/** How many tasks each split gets. */
export function SplitCounts(props: Readonly<Props>) {
  const { legend, splits, help, counts, onChange, total, error } = props
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-semibold">{legend}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {splits.map((split) => (
          <NumberField
            key={split}
            label={text.splits[split]}
            help={help?.(split)}
            integer
            minimum={0}
            placeholder="0"
            value={counts[split]}
            onChange={(count) => onChange(split, count)}
            error={fieldMessage(error, `splits.${split}`)}
          />
        ))}
      </div>
      <p role="status" className="text-xs text-ink-3 tabular-nums">
        {total}
      </p>
      <FieldProblem message={fieldMessage(error, 'splits')} />
    </fieldset>
  )
}

export function FieldProblem({ message }: Readonly<{ message: string | undefined }>) {
  return message ? (
    <p role="alert" className="text-xs font-medium text-bad">
      {message}
    </p>
  ) : null
}
