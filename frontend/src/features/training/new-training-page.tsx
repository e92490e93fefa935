import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { Notice } from '@/components/notice'
import { Page } from '@/components/page'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import { queries, useMe } from '@/lib/api/queries'
import { useParam, useSetParams } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { draftOf, onDataset, useTrainingDraft } from './form-draft'
import { TrainingForm } from './training-form'
import { text } from '@/strings/training'

import { isGone, jobQuery, trainableQuery } from './use-training'

/** `?from=id` fills the form with a training that there is; `?start_from=name` begins at a checkpoint. */
export function NewTrainingPage() {
  useTitle(text.form.title)
  const me = useMe()
  const methods = useQuery(trainableQuery)
  const datasets = useQuery(queries.datasets).data
  const [from] = useParam('from')
  const [startFrom] = useParam('start_from')
  const clear = useSetParams()
  const source = useQuery({ ...jobQuery(from ?? ''), enabled: from !== null })
  const change = useTrainingDraft((draft) => draft.change)
  const dataset = useTrainingDraft((draft) => draft.dataset)
  const split = useTrainingDraft((draft) => draft.split)
  const known = methods.data
  const hasNoSource = isGone(source.error)

  useEffect(() => {
    const first = datasets?.find(({ splits }) => splits.train > 0) ?? datasets?.[0]
    if ((from === null || hasNoSource) && dataset === null && first) change(onDataset(first, split))
  }, [from, hasNoSource, dataset, split, datasets, change])
  useEffect(() => {
    if (source.data && known) {
      change(
        draftOf(
          source.data,
          known.find(({ method }) => method === source.data.method),
        ),
      )
      clear({ from: null })
    } else if (startFrom !== null) {
      change({ startFrom })
      clear({ start_from: null })
    }
  }, [source.data, known, startFrom, change, clear])

  return (
    <Page title={text.form.title} lead={text.form.lead}>
      {me?.permissions.run === false ? <p className="text-ink-2">{text.form.viewer}</p> : null}
      {methods.isError ? <QueryError of={methods} /> : null}
      {hasNoSource ? (
        <Notice title={text.form.sourceGone}>{text.form.sourceGoneBody}</Notice>
      ) : null}
      {source.isError && !hasNoSource ? <QueryError of={source} /> : null}
      {methods.isPending || (from !== null && !source.isError) ? <WorkingBlock /> : null}
      {known && (from === null || hasNoSource) ? <TrainingForm methods={known} /> : null}
    </Page>
  )
}
