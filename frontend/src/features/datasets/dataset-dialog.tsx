import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import type { Dataset } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { text } from '@/strings/datasets'
import { benchmarksQuery, useSaveDataset } from './use-datasets'

const { form } = text
const AS_KIND = '*'

interface Props {
  /** null: a new one. */
  dataset: Dataset | null
  onClose: () => void
  onSaved?: (saved: Dataset) => void
}

export function DatasetDialog({ dataset, onClose, onSaved }: Readonly<Props>) {
  const [draft, setDraft] = useState(() => ({
    key: dataset?.key ?? '',
    name: dataset?.name ?? '',
    description: dataset?.description ?? '',
    source: dataset?.source ?? '',
    licence: dataset?.licence ?? '',
    benchmark: dataset?.benchmark ?? 'custom',
    verifier: dataset?.verifier ?? '',
  }))
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
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={dataset ? form.editTitle(dataset.name) : form.createTitle}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            isPending={save.isPending}
            isDisabled={!draft.key || !draft.name}
            onPress={() => save.mutate(draft)}
          >
            {strings.common.save}
          </Button>
        </>
      }
    >
      <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2">
        <TextField {...field('name')} autoFocus />
        <TextField {...field('key')} mono isDisabled={dataset !== null} help={form.keyHelp} />
        <Select
          label={form.benchmark}
          options={benchmarks.map(({ key, name, description }) => ({
            key,
            label: name,
            description,
          }))}
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
        {error?.fields.length === 0 ? (
          <div className="sm:col-span-2">
            <ErrorPanel problem={error} />
          </div>
        ) : null}
      </div>
    </Dialog>
  )
}
