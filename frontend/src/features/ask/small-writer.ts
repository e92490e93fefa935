/** Whether a question would end at what a model must write first: what counts as a small model seldom divides a
 * question into subtasks, or writes a team's script. Which setting names that model, the method's schema says. */
import { ownEndpoint, type Endpoint } from '@/lib/api/queries'
import type { ConfigField, ConfigValue } from '@/lib/config-schema'
import { text } from '@/strings/small-writer'

import type { Draft } from './draft-store'
import type { Choices } from './use-ask'

type Writes = keyof typeof text.of

export interface SmallWriter {
  readonly endpoint: Endpoint
  readonly writes: Writes
  /** The setting that takes the place of what is written, and a text for it. */
  readonly instead: Readonly<{ setting: string; example: string }> | null
}

/** What would have to write and seldom can; null where nothing has to, or it may be able to. */
export function smallWriter(
  draft: Pick<Draft, 'task' | 'config' | 'checkpoint'>,
  { method, fields, endpoint }: Choices,
  endpoints: readonly Endpoint[],
): SmallWriter | null {
  const writing = fields.find(isWriting)
  if (!method || !writing) return null
  // A task of a dataset may bring its subtasks along.
  if (writing.writes === 'plan' && draft.task !== null) return null

  const valueOf = ({ key, initial }: ConfigField): ConfigValue => {
    const chosen = draft.config[method.key]?.[key]
    return chosen === undefined ? initial : chosen
  }
  const given = fields.find(({ key }) => key === writing.writes)
  if (given && String(valueOf(given) ?? '').trim() !== '') return null

  const named = endpoints.find(({ key }) => key === valueOf(writing))
  // The checkpoint's own model has learned to write.
  if (!named && ownEndpoint(method, draft.checkpoint) !== null) return null
  const writer = named ?? endpoint
  if (!writer?.is_small) return null
  const example = given?.kind === 'code' ? given.example : null
  return {
    endpoint: writer,
    writes: writing.writes,
    instead: given && example !== null ? { setting: given.key, example } : null,
  }
}

type Writing = ConfigField & { readonly writes: Writes }

const isWriting = (field: ConfigField): field is Writing =>
  field.kind === 'endpoint' && field.writes !== null && field.writes in text.of
