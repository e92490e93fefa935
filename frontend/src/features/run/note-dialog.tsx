import { useMutation } from '@tanstack/react-query'
import { use, useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { RunContext, useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { TextField } from '@/components/text-field'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { strings } from '@/strings/studio'
import { useWritten } from '@/lib/use-written'

const words = text.notes
const SCORES = [1, 2, 3, 4, 5] as const
const NO_SCORE = ':none'
const LABEL_CHARS = 60
const COMMENT_CHARS = 4_000

type Note = components['schemas']['Annotation']

interface DialogProps {
  mine: Note | undefined
  onClose: () => void
}

/** One's own note, to write, change or take back. */
export function NoteDialog({ mine, onClose }: Readonly<DialogProps>) {
  const [score, setScore] = useState(mine?.score ?? null)
  const [label, setLabel] = useState(mine?.label ?? '')
  const run = useRun((state) => state.view.runId)
  const [comment, setComment] = useWritten(`note ${run}`, mine?.comment ?? '')
  const done = (): void => {
    setComment(null)
    onClose()
  }
  const save = useSaving(() => ({ score, label, comment }), done)
  const remove = useSaving(() => null, done)
  const failed = save.error ?? remove.error
  const error = failed ? toApiError(failed) : null
  const isEmpty = score === null && label.trim() === '' && comment.trim() === ''
  return (
    <Dialog
      isOpen
      title={words.own}
      onClose={onClose}
      footer={
        <>
          {mine ? (
            <Button isPending={remove.isPending} onPress={() => remove.mutate()}>
              {words.remove}
            </Button>
          ) : null}
          <Button
            variant="primary"
            isDisabled={isEmpty}
            isPending={save.isPending}
            onPress={() => save.mutate()}
          >
            {words.save}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Select
          label={words.score}
          options={[
            { key: NO_SCORE, label: words.noScore },
            ...SCORES.map((each) => ({
              key: String(each),
              label: strings.notes.scoreOf(each),
              description: words.scores[each - 1] ?? '',
            })),
          ]}
          value={score === null ? NO_SCORE : String(score)}
          onChange={(key) => setScore(key === NO_SCORE ? null : Number(key))}
        />
        <TextField
          label={words.label}
          placeholder={words.labelPlaceholder}
          value={label}
          maxLength={LABEL_CHARS}
          onChange={setLabel}
          error={fieldMessage(error, 'label')}
        />
        <TextArea
          label={words.comment}
          value={comment}
          maxLength={COMMENT_CHARS}
          onChange={setComment}
        />
        {error ? <ErrorPanel problem={error} /> : null}
      </div>
    </Dialog>
  )
}

/** `note` null: takes one's note back. */
function useSaving(note: () => components['schemas']['NoteRequest'] | null, onDone: () => void) {
  const id = useRun((state) => state.view.runId)
  const store = use(RunContext)
  const params = { path: { run_id: id } }
  return useMutation({
    mutationFn: async () => {
      const body = note()
      if (body) await unwrap(api.PUT('/api/runs/{run_id}/annotation', { params, body }))
      else await unwrap(api.DELETE('/api/runs/{run_id}/annotation', { params }))
      return unwrap(api.GET('/api/runs/{run_id}', { params }))
    },
    onSuccess: (detail) => {
      store?.getState().applyFrames([{ type: 'status', run: id, detail }])
      onDone()
    },
  })
}
