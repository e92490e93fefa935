import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { NumberField } from '@/components/number-field'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import { queries, type Dataset } from '@/lib/api/queries'
import { notify } from '@/lib/toasts'
import { text } from '@/strings/datasets'
import { strings } from '@/strings/studio'

import { ImportProgress } from './import-progress'
import { datasetQuery } from './use-datasets'
import { useTold, useUnderWay, type Sending } from './use-under-way'

const { form, making } = text

/** What is asked of each dataset that the studio makes. */
export interface Draft {
  readonly key: string
  readonly name: string
  readonly seed: number | null
}

/** Of the draft as it is by then: a number is given only when its field is left, which may be with
 * the click that changes something else. */
export type Change<D> = (next: (now: D) => D) => void

interface Words {
  title: string
  problemsTitle: string
  run: (total: number) => string
  done: (total: number) => string
}

interface Props<D extends Draft> {
  words: Words
  /** Whose tasks are used; "": of none. */
  source: string
  begin: () => D
  totalOf: (draft: D) => number
  send: (draft: D, sending: Sending) => Promise<Dataset>
  /** Names the fields with an error message of their own in `children`. */
  atFields: RegExp
  explanation: (draft: D) => ReactNode
  children: (draft: D, change: Change<D>, error: ApiError | null) => ReactNode
  /** How far it is, in short; null: nothing is under way, or it is not known. */
  onProgress: (progress: string | null) => void
  onClose: () => void
}

/** Asks for a new dataset that the studio makes; then it is shown. To close it ends what is under
 * way. */
export function MakingDialog<D extends Draft>(props: Readonly<Props<D>>) {
  const { words, source, totalOf, send, atFields, onProgress, onClose } = props
  const navigate = useNavigate()
  const client = useQueryClient()
  const [draft, setDraft] = useState(props.begin)
  const underWay = useUnderWay(source, { isSmall: true })
  useTold(underWay, onProgress)
  const total = totalOf(draft)
  const make = useMutation({
    mutationFn: () => underWay.run((sending) => send(draft, sending)),
    onSuccess: async (made) => {
      client.setQueryData(datasetQuery(made.key).queryKey, made)
      await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
      notify(words.done(total))
      onClose()
      void navigate(`/datasets/${made.key}`)
    },
  })
  const error = make.error ? toApiError(make.error) : null
  const isElsewhere =
    error !== null &&
    !error.fields.some(({ field }) => /^(key|name|seed)$/.test(field) || atFields.test(field))
  const change: Change<D> = (next) => {
    setDraft(next)
    make.reset()
  }
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={words.title}
      footer={
        <div className="flex w-full flex-col gap-3">
          {underWay.isBusy ? <ImportProgress underWay={underWay} fromHub={false} /> : null}
          <div className="flex justify-end gap-2">
            <Button onPress={onClose}>{strings.common.cancel}</Button>
            <Button
              variant="primary"
              isPending={make.isPending}
              isDisabled={total === 0 || !draft.key.trim() || !draft.name.trim()}
              onPress={() => make.mutate()}
            >
              {words.run(total)}
            </Button>
          </div>
        </div>
      }
    >
      <div className="flex flex-col gap-4" inert={make.isPending}>
        {props.explanation(draft)}
        <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2">
          <TextField
            autoFocus
            label={form.name}
            value={draft.name}
            onChange={(name) => change((now) => ({ ...now, name }))}
            error={fieldMessage(error, 'name')}
          />
          <TextField
            mono
            label={form.key}
            help={form.keyHelp}
            value={draft.key}
            onChange={(key) => change((now) => ({ ...now, key }))}
            error={fieldMessage(error, 'key')}
          />
        </div>
        {props.children(draft, change, error)}
        <NumberField
          className="sm:w-1/3"
          label={making.seed}
          help={making.seedHelp}
          integer
          minimum={0}
          value={draft.seed}
          onChange={(seed) => change((now) => ({ ...now, seed }))}
          error={fieldMessage(error, 'seed')}
        />
        {isElsewhere ? <ErrorPanel title={words.problemsTitle} problem={error} /> : null}
      </div>
    </Dialog>
  )
}
