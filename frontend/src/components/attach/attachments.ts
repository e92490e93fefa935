/** Sends files to the studio as soon as they are attached, so that the question only has to name them. */
import { FILE_MAX_BYTES, FILES_MAX, FILES_MAX_BYTES } from '@/generated/events'
import { api, unwrap, uploadFetch } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { strings } from '@/strings/studio'

/** A file on its way to the studio (`id` null), or there: a question may name it for a day. */
export interface AttachedFile {
  /** Its own on this page. */
  readonly key: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly id: string | null
  /** Bytes that have left. */
  readonly sent: number
  /** Why it is not attached. */
  readonly problem: string | null
}

export type Files = readonly AttachedFile[]

/** Where a page keeps the files of its question. */
export interface Attachments {
  readonly get: () => Files
  readonly set: (files: Files) => void
}

const words = strings.ask.files
const underWay = new Map<string, AbortController>()

const change = ({ get, set }: Attachments, key: string, part: Partial<AttachedFile>): void =>
  set(get().map((file) => (file.key === key ? { ...file, ...part } : file)))

/** Why the file can't come with those that are attached, known before it is sent. */
export function refusal(file: Pick<File, 'size'>, attached: Files): string | null {
  const kept = attached.filter(({ problem }) => problem === null)
  const together = kept.reduce((sum, { size }) => sum + size, file.size)
  if (file.size === 0) return words.empty
  if (file.size > FILE_MAX_BYTES) return words.tooLarge(FILE_MAX_BYTES / 1e6)
  if (kept.length >= FILES_MAX) return words.tooMany(FILES_MAX)
  if (together > FILES_MAX_BYTES) return words.tooMuch(FILES_MAX_BYTES / 1e6)
  return null
}

export function attach(to: Attachments, files: Iterable<File>): void {
  for (const file of files) {
    const key = crypto.randomUUID()
    const problem = refusal(file, to.get())
    const { name, size } = file
    to.set([...to.get(), { key, name, size, id: null, sent: 0, problem }])
    if (problem === null) void send(to, key, file)
  }
}

export function remove(from: Attachments, { key, id }: AttachedFile): void {
  underWay.get(key)?.abort()
  from.set(from.get().filter((file) => file.key !== key))
  // The studio deletes it by itself after a day.
  if (id)
    void api
      .DELETE('/api/uploads/{upload_id}', { params: { path: { upload_id: id } } })
      .catch(() => null)
}

async function send(to: Attachments, key: string, file: File): Promise<void> {
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
        fetch: uploadFetch((sent) => change(to, key, { sent })),
        signal: stop.signal,
      }),
    )
    change(to, key, { id: upload.id, name: upload.name })
  } catch (error) {
    const { message, remedy, fields } = toApiError(error)
    change(to, key, { problem: fields[0]?.message ?? `${message} ${remedy}`.trim() })
  } finally {
    underWay.delete(key)
  }
}

/** A file that did not arrive holds the question back until it is removed. */
export const allSent = (files: Files): boolean => files.every(({ id }) => id !== null)

/** What a request names: the files that have arrived. */
export const uploadsOf = (files: Files): { uploads?: string[] } => {
  const uploads = files.flatMap(({ id }) => id ?? [])
  return uploads.length > 0 ? { uploads } : {}
}

/** What a tab may keep: a file on its way is lost with the page. */
export const keepable = (files: Files): Files => files.filter(({ id }) => id !== null)

/** What was dropped or pasted, if it is files. A table copied from a program comes as a text and as a
 * picture of it: then the text is meant. */
export const filesOf = (data: DataTransfer): File[] =>
  data.types.includes('text/plain') ? [] : [...data.files]
