/** Sends files to the studio as soon as they are attached, so that the question only has to name them. */
import { FILE_MAX_BYTES, FILES_MAX, FILES_MAX_BYTES } from '@/generated/events'
import { api, unwrap, uploadFetch } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { strings } from '@/strings/studio'

import { useDraft, type DraftFile } from './draft-store'

const words = strings.ask.files
const underWay = new Map<string, AbortController>()

const changeFiles = (change: (files: readonly DraftFile[]) => readonly DraftFile[]): void => {
  useDraft.setState(({ files }) => ({ files: change(files) }))
}

const changeFile = (key: string, part: Partial<DraftFile>): void =>
  changeFiles((files) => files.map((file) => (file.key === key ? { ...file, ...part } : file)))

/** Why the file can't come with those that are attached, known before it is sent. */
export function refusal(file: Pick<File, 'size'>, attached: readonly DraftFile[]): string | null {
  const kept = attached.filter(({ problem }) => problem === null)
  const together = kept.reduce((sum, { size }) => sum + size, file.size)
  if (file.size === 0) return words.empty
  if (file.size > FILE_MAX_BYTES) return words.tooLarge(FILE_MAX_BYTES / 1e6)
  if (kept.length >= FILES_MAX) return words.tooMany(FILES_MAX)
  if (together > FILES_MAX_BYTES) return words.tooMuch(FILES_MAX_BYTES / 1e6)
  return null
}

export function attach(files: Iterable<File>): void {
  for (const file of files) {
    const key = crypto.randomUUID()
    const problem = refusal(file, useDraft.getState().files)
    const { name, size } = file
    changeFiles((others) => [...others, { key, name, size, id: null, sent: 0, problem }])
    if (problem === null) void send(key, file)
  }
}

export function remove({ key, id }: DraftFile): void {
  underWay.get(key)?.abort()
  changeFiles((files) => files.filter((file) => file.key !== key))
  // The studio deletes it by itself after a day.
  if (id)
    void api
      .DELETE('/api/uploads/{upload_id}', { params: { path: { upload_id: id } } })
      .catch(() => null)
}

async function send(key: string, file: File): Promise<void> {
  const form = new FormData()
  form.set('file', file)
  const stop = new AbortController()
  underWay.set(key, stop)
  try {
    const upload = await unwrap(
      api.POST('/api/uploads', {
        // The body is the form itself; the type describes its fields.
        body: { file: '' },
        bodySerializer: () => form,
        fetch: uploadFetch((sent) => changeFile(key, { sent })),
        signal: stop.signal,
      }),
    )
    changeFile(key, { id: upload.id, name: upload.name })
  } catch (error) {
    const { message, remedy, fields } = toApiError(error)
    changeFile(key, { problem: fields[0]?.message ?? `${message} ${remedy}`.trim() })
  } finally {
    underWay.delete(key)
  }
}

/** What was dropped or pasted, if it is files. A table copied from a program comes as a text and as a
 * picture of it: then the text is meant. */
export const filesOf = (data: DataTransfer): File[] =>
  data.types.includes('text/plain') ? [] : [...data.files]
