import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Columns2, Download, RotateCw, Tag, Trash2, X } from 'lucide-react'
import { useState, type SyntheticEvent } from 'react'
import { Form } from 'react-aria-components'

import { Button, IconButton } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ButtonLink } from '@/components/button-link'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/text-field'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { useIdempotencyKey } from '@/lib/idempotency-key'
import { notify, notifyProblem } from '@/lib/toasts'
import { strings } from '@/strings/studio'

import { doableWith, type Doable } from './doable'
import { LABEL_CHARS } from './filters'
import type { Selection } from './selection'

const words = strings.runs.bulk
/** What the API takes at once. */
const MOST = 100

/** What can be done with the chosen runs; not there while none is. */
export function BulkBar({ selection }: Readonly<{ selection: Selection }>) {
  const me = useMe()
  const bulk = useBulk()
  const [asks, setAsks] = useState<'delete' | 'label' | null>(null)
  const { chosen, toggleAll } = selection
  if (chosen.length === 0) return null
  const ids = chosen.map(({ id }) => id)
  const tooMany = chosen.length > MOST
  const doable = me?.permissions.run ? doableWith(chosen, me) : null
  const act = (deed: Deed, onto: readonly string[]): void =>
    bulk.mutate(
      { ids: onto, deed },
      {
        onSuccess: () => {
          setAsks(null)
          if (deed.action !== 'label') toggleAll(false)
        },
      },
    )
  return (
    <section
      aria-label={words.label}
      className="sticky bottom-16 z-20 mx-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-surface-1 px-3 py-2 shadow-float sm:bottom-4"
    >
      <p role="status" className="text-sm">
        {tooMany ? words.tooMany(chosen.length, MOST) : words.chosen(chosen.length)}
        {doable ? <WhyNotAll doable={doable} /> : null}
      </p>
      {doable ? (
        <DeedButtons
          doable={doable}
          all={ids.length}
          isDisabled={tooMany || bulk.isPending}
          onCancel={() => act({ action: 'cancel' }, doable.cancel)}
          onRetry={() => act({ action: 'retry' }, doable.retry)}
          onLabel={() => setAsks('label')}
          onDelete={() => setAsks('delete')}
        />
      ) : null}
      {ids.length === 2 ? (
        <ButtonLink to={`/runs/compare?left=${ids[0]}&right=${ids[1]}`} size="sm" icon={Columns2}>
          {words.compare}
        </ButtonLink>
      ) : null}
      {tooMany ? null : (
        <a
          href={`/api/runs/export?runs=${ids.join(',')}`}
          download
          className={buttonClass({ size: 'sm' })}
        >
          <Download size={14} aria-hidden />
          {words.download}
        </a>
      )}
      <IconButton label={words.none} onPress={() => toggleAll(false)} icon={X} />
      {asks === 'delete' && doable ? (
        <ConfirmDialog
          title={words.removeTitle(doable.delete.length)}
          body={words.removeBody}
          action={words.remove}
          deed={{ ...bulk, error: null }}
          onConfirm={() => act({ action: 'delete' }, doable.delete)}
          onClose={() => setAsks(null)}
        />
      ) : null}
      {asks === 'label' ? (
        <LabelDialog
          count={ids.length}
          isPending={bulk.isPending}
          onSave={(label) => act({ action: 'label', label }, ids)}
          onClose={() => setAsks(null)}
        />
      ) : null}
    </section>
  )
}

/** Why an action takes fewer than are chosen. */
function WhyNotAll({ doable }: Readonly<{ doable: Doable }>) {
  const { underWay, ofOthers, ofEvaluations } = words.why
  const told = [
    doable.underWay > 0 ? underWay(doable.underWay) : null,
    doable.ofOthers > 0 ? ofOthers(doable.ofOthers) : null,
    doable.ofEvaluations > 0 ? ofEvaluations(doable.ofEvaluations) : null,
  ].filter((part) => part !== null)
  return told.length > 0 ? <span className="text-ink-3">{`: ${told.join(', ')}`}</span> : null
}

interface Deed {
  readonly action: components['schemas']['DeedRequest']['action']
  readonly label?: string
}

/** Does one thing to many runs, and says what came of it. */
function useBulk() {
  const client = useQueryClient()
  const key = useIdempotencyKey()
  return useMutation({
    mutationFn: ({ ids, deed }: { ids: readonly string[]; deed: Deed }) => {
      const body = { runs: [...ids], label: '', ...deed }
      return key.send(body, (header) =>
        unwrap(api.POST('/api/runs/bulk', { params: { header }, body })),
      )
    },
    onSuccess: async (outcomes, { deed }) => {
      const refusals = outcomes.flatMap(({ refusal }) => (refusal ? [refusal] : []))
      const count = outcomes.length - refusals.length
      if (count > 0) notify(words.done[deed.action](count))
      const [first] = refusals
      if (first)
        notifyProblem({
          message: words.refused(refusals.length, first.message),
          remedy: first.remedy,
        })
      await client.invalidateQueries({ queryKey: ['runs'] })
    },
    onError: (error) => notifyProblem(toApiError(error)),
  })
}

interface Props {
  count: number
  isPending: boolean
  onSave: (label: string) => void
  onClose: () => void
}

/** One label for one's notes on several runs. */
function LabelDialog({ count, isPending, onSave, onClose }: Readonly<Props>) {
  const [label, setLabel] = useState('')
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (!isPending) onSave(label.trim())
  }
  return (
    <Dialog isOpen title={words.labelTitle(count)} onClose={onClose}>
      <Form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={words.labelName}
          value={label}
          maxLength={LABEL_CHARS}
          onChange={setLabel}
          help={words.labelHelp}
        />
        <div className="flex justify-end gap-2">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" isPending={isPending}>
            {strings.common.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

interface DeedButtonsProps {
  doable: Doable
  /** How many are chosen. */
  all: number
  isDisabled: boolean
  onCancel: () => void
  onRetry: () => void
  onLabel: () => void
  onDelete: () => void
}

/** Each acts on those of the chosen runs that it can, and says how many where these are not all. */
function DeedButtons(props: Readonly<DeedButtonsProps>) {
  const { doable, all, isDisabled, onCancel, onRetry, onLabel, onDelete } = props
  const common = { size: 'sm', isDisabled } as const
  return (
    <>
      {doable.cancel.length > 0 ? (
        <Button {...common} onPress={onCancel} icon={Ban}>
          {words.part(words.cancel, doable.cancel.length, all)}
        </Button>
      ) : null}
      {doable.retry.length > 0 ? (
        <Button {...common} onPress={onRetry} icon={RotateCw}>
          {words.part(words.retry, doable.retry.length, all)}
        </Button>
      ) : null}
      <Button {...common} onPress={onLabel} icon={Tag}>
        {words.setLabel}
      </Button>
      {doable.delete.length > 0 ? (
        <Button {...common} variant="danger" onPress={onDelete} icon={Trash2}>
          {words.part(words.remove, doable.delete.length, all)}
        </Button>
      ) : null}
    </>
  )
}
