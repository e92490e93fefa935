import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { described } from '@/components/options'
import { Select } from '@/components/select'
import { Tabs } from '@/components/tabs'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import type { Dataset } from '@/lib/api/queries'
import { SPLITS, type Split } from '@/lib/splits'
import { notify } from '@/lib/toasts'
import { text } from '@/strings/datasets'
import { strings } from '@/strings/studio'

import type { FileColumn } from './file-columns'
import { FilePicker } from './file-picker'
import { ImportProgress } from './import-progress'
import { ImportReport } from './import-report'
import { MappingFields } from './mapping-fields'
import { benchmarksQuery, type Benchmark } from './use-datasets'
import { useColumns, useImport, type ImportWanted, type TaskImport } from './use-import'
import { useTold, useUnderWay } from './use-under-way'

const { importing } = text

type Source = 'file' | 'hub'
type Columns = Readonly<Record<Source, readonly FileColumn[] | null>>
const NOT_READ: Columns = { file: null, hub: null }

interface Props {
  dataset: Dataset
  /** How far what is under way is, in short; null: nothing is, or it is not known. */
  onProgress: (progress: string | null) => void
  onClose: () => void
}

/** Check first, then import: the check shows what would be stored, and which rows cannot be. To
 * close it ends what is under way. */
export function ImportDialog({ dataset, onProgress, onClose }: Readonly<Props>) {
  const benchmarks = useQuery(benchmarksQuery).data ?? []
  const [source, setSource] = useState<Source>('file')
  const [columns, setColumns] = useState(NOT_READ)
  const [report, setReport] = useState<TaskImport | null>(null)
  const [wanted, setWanted] = useState<ImportWanted>(() => emptyImport(dataset))
  const underWay = useUnderWay(dataset.key)
  const check = useImport(dataset.key, underWay, true, setReport)
  const store = useImport(dataset.key, underWay, false, ({ imported }) => {
    notify(importing.imported(imported), {
      to: evaluationOf(dataset.key, wanted.split),
      label: text.evaluate,
    })
    onClose()
  })
  const read = useColumns(dataset.key, underWay)
  useTold(underWay, onProgress)
  const thrown = store.error ?? check.error ?? read.error
  const error = thrown ? toApiError(thrown) : null
  const benchmark = benchmarks.find(({ key }) => key === wanted.benchmark)
  const change = (part: Partial<ImportWanted>): void => {
    setWanted({ ...wanted, ...part })
    setReport(null)
    check.reset()
    store.reset()
    read.reset()
    underWay.stop()
  }
  const asked: ImportWanted = source === 'file' ? wanted : { ...wanted, file: null }
  // Its answer comes to nobody once something else is wanted.
  const readColumns = (): void =>
    read.mutate(asked, {
      onSuccess: (found) => {
        setColumns({ ...columns, [source]: found })
        setWanted({ ...wanted, mapping: possible(wanted.mapping, found) })
      },
    })
  const requests = [check, store, read]
  const isTaken = (own: (typeof requests)[number]): boolean =>
    requests.some((each) => each !== own && each.isPending)
  const canCheck = source === 'file' ? wanted.file !== null : wanted.hubId.trim() !== ''
  const canStore = report !== null && report.imported + report.unchanged + report.removed > 0
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={importing.title(dataset.name)}
      footer={
        <div className="flex w-full flex-col gap-3">
          {underWay.isBusy ? (
            <ImportProgress underWay={underWay} fromHub={source === 'hub'} />
          ) : null}
          <div className="flex justify-end gap-2">
            <Button onPress={onClose}>{strings.common.cancel}</Button>
            <Button
              isDisabled={!canCheck || isTaken(check)}
              isPending={check.isPending}
              onPress={() => check.mutate(asked)}
            >
              {importing.check}
            </Button>
            <Button
              variant="primary"
              isDisabled={!canStore || isTaken(store)}
              isPending={store.isPending}
              onPress={() => store.mutate(asked)}
            >
              {report ? importing.run(report.imported) : importing.runPlain}
            </Button>
          </div>
        </div>
      }
    >
      <div className="flex flex-col gap-4" inert={store.isPending}>
        <Tabs
          label={importing.from}
          selected={source}
          onSelect={(key) => {
            setSource(key === 'hub' ? 'hub' : 'file')
            change({})
          }}
          panelClassName="pt-3"
          items={[
            {
              key: 'file',
              label: importing.file,
              content: (
                <FilePicker
                  file={wanted.file}
                  error={fieldMessage(error, 'file')}
                  onChoose={(file, found) => {
                    setColumns({ ...columns, file: found })
                    change({ file, mapping: possible(wanted.mapping, found) })
                  }}
                />
              ),
            },
            {
              key: 'hub',
              label: importing.hub,
              content: (
                <HubFields
                  wanted={wanted}
                  change={(part) => {
                    setColumns({ ...columns, hub: null })
                    change(part)
                  }}
                  error={error}
                  benchmark={benchmark}
                />
              ),
            },
          ]}
        />
        <div className="grid grid-cols-2 gap-3">
          <Select
            label={importing.split}
            options={SPLITS.map((key) => ({ key, label: text.splits[key] }))}
            value={wanted.split}
            onChange={(key) =>
              change({ split: SPLITS.find((known) => known === key) ?? wanted.split })
            }
            error={fieldMessage(error, 'split')}
          />
          <Select
            label={importing.benchmark}
            options={described(benchmarks)}
            value={wanted.benchmark}
            onChange={(key) => change({ benchmark: key, mapping: {} })}
            error={fieldMessage(error, 'benchmark')}
          />
        </div>
        {benchmark ? (
          <MappingFields
            benchmark={benchmark}
            columns={columns[source]}
            onRead={canCheck && columns[source] === null && !isTaken(read) ? readColumns : null}
            isReading={read.isPending}
            mapping={wanted.mapping}
            onChange={(mapping) => change({ mapping })}
            error={fieldMessage(error, 'mapping')}
            said={[
              ...(error ? [error.message] : []),
              ...(report?.skipped.map(({ reason }) => reason) ?? []),
            ]}
          />
        ) : null}
        <Checkbox isSelected={wanted.replace} onChange={(replace) => change({ replace })}>
          {importing.replace}
        </Checkbox>
        <div role="status" className="flex flex-col gap-3">
          {error ? <ErrorPanel title={importing.problems} problem={error} /> : null}
          {report ? (
            <ImportReport report={report} />
          ) : error ? null : (
            <p className="text-xs text-ink-3">{importing.checkFirst}</p>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** What may stay of a mapping when other columns are there to choose from. */
const possible = (
  mapping: ImportWanted['mapping'],
  columns: readonly FileColumn[] | null,
): ImportWanted['mapping'] =>
  columns === null
    ? mapping
    : Object.fromEntries(
        Object.entries(mapping).filter(([, theirs]) => columns.some(({ name }) => name === theirs)),
      )

function emptyImport(dataset: Dataset): ImportWanted {
  const split: Split = SPLITS.find((each) => dataset.splits[each] === 0) ?? 'train'
  return {
    file: null,
    hubId: '',
    hubConfig: '',
    hubSplit: '',
    split,
    benchmark: dataset.benchmark ?? 'custom',
    mapping: {},
    replace: false,
  }
}

interface HubProps {
  wanted: ImportWanted
  change: (part: Partial<ImportWanted>) => void
  error: ApiError | null
  benchmark: Benchmark | undefined
}

function HubFields({ wanted, change, error, benchmark }: Readonly<HubProps>) {
  return (
    <div className="grid gap-3 sm:grid-cols-[2fr_1fr_1fr]">
      <TextField
        label={importing.hubId}
        mono
        value={wanted.hubId}
        onChange={(hubId) => change({ hubId })}
        placeholder={benchmark?.hub_id ?? 'owner/name'}
        error={fieldMessage(error, 'hub_id')}
      />
      <TextField
        label={importing.hubConfig}
        mono
        value={wanted.hubConfig}
        onChange={(hubConfig) => change({ hubConfig })}
        placeholder={strings.common.optional}
        error={fieldMessage(error, 'hub_config')}
      />
      <TextField
        label={importing.hubSplit}
        mono
        value={wanted.hubSplit}
        onChange={(hubSplit) => change({ hubSplit })}
        placeholder={benchmark?.hub_splits[wanted.split] ?? wanted.split}
        error={fieldMessage(error, 'hub_split')}
      />
    </div>
  )
}

/** The form of an evaluation on these tasks. */
export const evaluationOf = (dataset: string, split: Split): string =>
  `/evaluations/new?${new URLSearchParams({ dataset, split }).toString()}`
