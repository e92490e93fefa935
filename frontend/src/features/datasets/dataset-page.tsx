import { useQuery } from '@tanstack/react-query'
import { FlaskConical, Network, Pencil, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'

import { Button } from '@/components/button'
import { ButtonLink } from '@/components/button-link'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Fact } from '@/components/fact'
import { Page } from '@/components/page'
import { PageProblem } from '@/components/page-problem'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { useMe, type Dataset } from '@/lib/api/queries'
import { formatCount, formatDateTime, textOr, UNKNOWN } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useParam } from '@/lib/use-param'
import { useProgressTitle } from '@/lib/use-progress-title'

import { ComposeDialog } from './compose-dialog'
import { DatasetDialog } from './dataset-dialog'
import { text } from '@/strings/datasets'

import { filledSplits } from './composition'
import { evaluationOf, ImportDialog } from './import-dialog'
import { TaskTable } from './task-table'
import { SPLITS } from '@/lib/splits'

import { benchmarksQuery, datasetQuery, useDeleteDataset } from './use-datasets'

/** One dataset: where it comes from, and its tasks split by split. */
export function DatasetPage() {
  const { key = '' } = useParams()
  const dataset = useQuery(datasetQuery(key))
  const [progress, setProgress] = useState<string | null>(null)
  useProgressTitle(dataset.data?.name ?? text.title, progress)
  if (dataset.isPending) return <WorkingBlock />
  if (!dataset.data)
    return <PageProblem title={text.missing} of={dataset} to="/datasets" toLabel={text.others} />
  return (
    <Page
      title={dataset.data.name}
      lead={dataset.data.description}
      actions={<Actions dataset={dataset.data} onProgress={setProgress} />}
    >
      <Facts dataset={dataset.data} />
      <Splits dataset={dataset.data} />
    </Page>
  )
}

function Facts({ dataset }: Readonly<{ dataset: Dataset }>) {
  const { facts } = text
  const benchmarks = useQuery(benchmarksQuery).data
  const kind = benchmarks?.find(({ key }) => key === dataset.benchmark)?.name
  return (
    <dl
      aria-label={facts.label}
      className="grid grid-cols-2 gap-x-3 gap-y-2 rounded-lg border border-line bg-surface-1 px-4 py-3 sm:flex sm:flex-wrap sm:gap-x-8"
    >
      <Fact name={facts.key}>{dataset.key}</Fact>
      <Fact name={facts.benchmark}>{kind ?? dataset.benchmark ?? UNKNOWN}</Fact>
      <Fact name={facts.verifier}>{textOr(dataset.verifier, text.verifierByTask)}</Fact>
      <Fact name={facts.licence}>{textOr(dataset.licence)}</Fact>
      <Fact name={facts.source} title={dataset.source ?? ''}>
        {textOr(dataset.source)}
      </Fact>
      <Fact name={facts.digest} title={dataset.digest}>
        <span className="font-mono text-xs">{dataset.digest.slice(0, 12) || UNKNOWN}</span>
      </Fact>
      <Fact name={facts.updated}>{formatDateTime(dataset.updated_at)}</Fact>
    </dl>
  )
}

function Splits({ dataset }: Readonly<{ dataset: Dataset }>) {
  const [wanted, setSplit] = useParam('split')
  const [filled] = filledSplits(dataset)
  const split = SPLITS.find((known) => known === wanted) ?? filled ?? 'train'
  return (
    <Tabs
      label={text.tasks.tabs}
      selected={split}
      onSelect={setSplit}
      panelClassName="pt-4"
      items={SPLITS.map((key) => ({
        key,
        label: (
          <>
            {text.splits[key]}{' '}
            <span className="font-normal text-ink-3">{formatCount(dataset.splits[key])}</span>
          </>
        ),
        content: <TaskTable dataset={dataset} split={key} />,
      }))}
    />
  )
}

type Open = 'import' | 'compose' | 'edit' | 'delete' | null

interface ActionsProps {
  dataset: Dataset
  /** How far an import or a composition is, for the tab. */
  onProgress: (progress: string | null) => void
}

function Actions({ dataset, onProgress }: Readonly<ActionsProps>) {
  const [open, setOpen] = useState<Open>(null)
  const close = (): void => setOpen(null)
  const [wanted] = useParam('split')
  const rights = useMe()?.permissions
  const filled = filledSplits(dataset)
  const hasTasks = filled.length > 0
  const shown = filled.find((split) => split === wanted) ?? filled[0]
  const evaluate =
    rights?.run && shown ? (
      <ButtonLink to={evaluationOf(dataset.key, shown)} icon={FlaskConical}>
        {text.evaluate}
      </ButtonLink>
    ) : null
  if (!rights?.curate) return evaluate
  return (
    <div className="flex flex-wrap items-center gap-2">
      {evaluate}
      <Button variant="primary" onPress={() => setOpen('import')} icon={Upload}>
        {text.import}
      </Button>
      {hasTasks ? (
        <Button onPress={() => setOpen('compose')} icon={Network}>
          {text.compose}
        </Button>
      ) : null}
      <Button onPress={() => setOpen('edit')} icon={Pencil}>
        {text.edit}
      </Button>
      <Button variant="danger" onPress={() => setOpen('delete')} icon={Trash2}>
        {text.delete}
      </Button>
      {open === 'import' ? (
        <ImportDialog dataset={dataset} onProgress={onProgress} onClose={close} />
      ) : null}
      {open === 'compose' ? (
        <ComposeDialog source={dataset} onProgress={onProgress} onClose={close} />
      ) : null}
      {open === 'edit' ? <DatasetDialog dataset={dataset} onClose={close} /> : null}
      {open === 'delete' ? <DeleteDialog dataset={dataset} onClose={close} /> : null}
    </div>
  )
}

function DeleteDialog({ dataset, onClose }: Readonly<{ dataset: Dataset; onClose: () => void }>) {
  const navigate = useNavigate()
  const remove = useDeleteDataset(dataset.key, () => void navigate('/datasets'))
  return (
    <ConfirmDialog
      title={text.deleteTitle(dataset.name)}
      body={text.deleteBody}
      action={strings.common.delete}
      deed={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
