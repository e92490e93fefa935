import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'

import { Notice } from '@/components/notice'
import { Page } from '@/components/page'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import { checkpointQuery, UNTRAINED } from '@/lib/api/checkpoints'
import { toApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { splitOr } from '@/lib/splits'
import { useParam, useSetParams } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { EvaluationForm } from './evaluation-form'
import { text } from '@/strings/evaluations'

import { draftOf, firstArms, newArm, onDataset, roomOf, useFormDraft } from './form-draft'
import { evaluationQuery } from './use-evaluations'

/**
 * `?from=id` fills the form with an evaluation that there is, and `&room=0:1024` gives its first arm that limit of one
 * reply; `?gone=id` says that it could not be read; `?dataset=` and `?split=` name its tasks; `?method=` and
 * `?checkpoint=` name an arm, which stands beside the method's default, and so does `?design=`.
 */
export function NewEvaluationPage() {
  useTitle(text.form.title)
  const me = useMe()
  const methods = useQuery(queries.methods)
  const [from] = useParam('from')
  const [gone] = useParam('gone')
  const [room] = useParam('room')
  const source = useQuery({ ...evaluationQuery(from ?? gone ?? ''), enabled: from !== null })
  const change = useFormDraft((draft) => draft.change)
  const isEmpty = useFormDraft((draft) => draft.arms.length === 0)
  const dataset = useFormDraft((draft) => draft.dataset)
  const split = useFormDraft((draft) => draft.split)
  const datasets = useQuery(queries.datasets).data
  const known = methods.data

  const [method] = useParam('method')
  const [checkpoint] = useParam('checkpoint')
  const evaluated = useQuery({ ...checkpointQuery(checkpoint ?? ''), enabled: checkpoint !== null })
  const isKnown = checkpoint === null || !evaluated.isPending
  const isDefault = checkpoint === null || evaluated.data?.is_default === true
  const [design] = useParam('design')
  const clear = useSetParams()
  useEffect(() => {
    const drawn = known?.find((each) => each.needs_design)
    if (design !== null && known) {
      if (drawn) change({ arms: [{ ...newArm(drawn.key), design }, ...firstArms(known)] })
      clear({ design: null })
    } else if (method !== null && known && isKnown) {
      const others = firstArms(known).filter((arm) => arm.method !== method)
      // Beside the default, another arm with the default would be the same.
      const beside = { ...newArm(method), checkpoint: isDefault ? UNTRAINED : null }
      change({ arms: [{ ...newArm(method), checkpoint }, beside, ...others] })
      clear({ method: null, checkpoint: null })
    } else if (from === null && method === null && isEmpty && known)
      change({ arms: firstArms(known) })
  }, [from, isEmpty, known, change, method, checkpoint, isKnown, isDefault, design, clear])
  const [named] = useParam('dataset')
  const [namedSplit] = useParam('split')
  useEffect(() => {
    if (named === null || !datasets) return
    const chosen = datasets.find(({ key }) => key === named)
    if (chosen) change(onDataset(chosen, splitOr(namedSplit ?? '', 'dev')))
    clear({ dataset: null, split: null })
  }, [named, namedSplit, datasets, change, clear])
  useEffect(() => {
    const first = datasets?.find(({ splits }) => splits.dev > 0) ?? datasets?.[0]
    if (from === null && named === null && dataset === null && first)
      change(onDataset(first, split))
  }, [from, named, dataset, split, datasets, change])
  useEffect(() => {
    if (from === null) return
    if (source.data && methods.data) {
      change(draftOf(source.data, methods.data, roomOf(room)))
      clear({ from: null, gone: null, room: null })
    } else if (source.isError) clear({ from: null, gone: from, room: null })
  }, [from, room, source.data, source.isError, methods.data, change, clear])

  if (methods.isError) return <QueryError of={methods} />
  return (
    <Page title={text.form.title} lead={text.form.lead}>
      {me?.permissions.run === false ? <p className="text-ink-2">{text.form.viewer}</p> : null}
      {gone !== null && from === null ? (
        <Notice tone="warn" title={text.form.sourceGone}>
          {text.form.sourceGoneHelp(source.error ? toApiError(source.error).message : '')}
        </Notice>
      ) : null}
      {known && from === null ? <EvaluationForm methods={known} /> : <WorkingBlock />}
    </Page>
  )
}
