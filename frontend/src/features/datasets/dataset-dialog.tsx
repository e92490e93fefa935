import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { FormDialog } from '@/components/form-dialog'
import { described } from '@/components/options'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import type { Dataset } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { text } from '@/strings/datasets'

import { benchmarksQuery, draftOf, useSaveDataset } from './use-datasets'

const { form } = text
const AS_KIND = '*'

interface Props {
  /** null: a new one. */
  dataset: Dataset | null
  onClose: () => void
  onSaved?: (saved: Dataset) => void
}

export function DatasetDialog({ dataset, onClose, onSaved }: Readonly<Props>) {
  const [draft, setDraft] = useState(() => draftOf(dataset))
  const save = useSaveDataset(dataset, (saved) => {
    onClose()
    onSaved?.(saved)
  })
  const benchmarks = useQuery(benchmarksQuery).data ?? []
  const verifiers = [...new Set(benchmarks.map(({ verifier }) => verifier))].filter(Boolean)
  const error = save.error ? toApiError(save.error) : null
  const field = (key: 'key' | 'name' | 'description' | 'source' | 'licence') => ({
    label: form[key],
    value: draft[key],
    onChange: (value: string) => setDraft({ ...draft, [key]: value }),
    error: fieldMessage(error, key),
  })
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={dataset ? form.editTitle(dataset.name) : form.createTitle}
      action={strings.common.save}
      deed={save}
      isDisabled={!draft.key || !draft.name}
      showsError={error?.fields.length === 0}
      onSubmit={() => save.mutate(draft)}
      className="grid gap-x-3 gap-y-4 sm:grid-cols-2"
    >
      <TextField {...field('name')} autoFocus />
      <TextField {...field('key')} mono isDisabled={dataset !== null} help={form.keyHelp} />
      <Select
        label={form.benchmark}
        options={described(benchmarks)}
        value={draft.benchmark}
        onChange={(benchmark) => setDraft({ ...draft, benchmark })}
        help={form.benchmarkHelp}
        error={fieldMessage(error, 'benchmark')}
      />
      <Select
        label={form.verifier}
        options={[
          { key: AS_KIND, label: form.verifierDefault },
          ...verifiers.map((key) => ({ key, label: key })),
        ]}
        value={draft.verifier === '' ? AS_KIND : draft.verifier}
        onChange={(key) => setDraft({ ...draft, verifier: key === AS_KIND ? '' : key })}
        help={form.verifierHelp}
        error={fieldMessage(error, 'verifier')}
      />
      <TextField {...field('description')} className="sm:col-span-2" />
      <TextField {...field('source')} />
      <TextField {...field('licence')} />
    </FormDialog>
  )
}
