import { TaskFields } from '@/components/jobs/task-fields'
import { NumberField } from '@/components/number-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'

import { text } from '@/strings/evaluations'
import { onDataset, useFormDraft } from './form-draft'

const { form } = text

/** Which tasks every arm answers, and how often. */
export function AnsweredFields({ error }: Readonly<{ error: ApiError | null }>) {
  const draft = useFormDraft()
  return (
    <TaskFields
      wide
      title={form.tasks}
      draft={draft}
      onDataset={onDataset}
      warning={['train', form.trainSplit]}
      error={error}
      layout="lg:grid-cols-[2fr_1fr_1fr_1fr]"
    >
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
    </TaskFields>
  )
}
