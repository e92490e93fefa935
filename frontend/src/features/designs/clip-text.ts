/** Agents on the clipboard: the text of a design's JSON file, so that either can be pasted or imported.
 * Whatever else stands there, or was made to look like one, is hostile until it has been checked. */
import schema from '@/generated/design-schema.json'
import { fits } from '@/lib/json-schema'

import { cleanText } from './clean-text'
import { edgeId, EMPTY, type Clip, type DesignSpec } from './edits'

const KIND = 'design'
/** As much as a whole design may have. */
const MOST_CHARS = 2 * 1024 * 1024

/** unknown: the text is nothing of ours. broken: it says that it is, and is not. */
export type ReadClip =
  { readonly kind: 'clip'; readonly clip: Clip } | { readonly kind: 'unknown' | 'broken' }

export const textOfClip = (clip: Clip, name: string): string =>
  JSON.stringify({ mas_studio: KIND, name, design: { ...EMPTY, ...clip } }, null, 2)

export function clipOfText(text: string): ReadClip {
  if (!text.trimStart().startsWith('{')) return { kind: 'unknown' }
  if (text.length > MOST_CHARS) return { kind: 'broken' }
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    return { kind: text.includes('"mas_studio"') ? 'broken' : 'unknown' }
  }
  if (typeof read !== 'object' || read === null || !('mas_studio' in read))
    return { kind: 'unknown' }
  if (read.mas_studio !== KIND || !('design' in read) || !isDesign(read.design))
    return { kind: 'broken' }
  const { agents, edges } = read.design
  return agents.length > 0 ? { kind: 'clip', clip: { agents, edges } } : { kind: 'broken' }
}

/** What the server would take as a draft: the same schema, and what holds between its parts. */
export function isDesign(value: unknown): value is DesignSpec {
  if (!fits(value, schema)) return false
  const { agents, edges, answer_from } = value as DesignSpec
  const ids = new Set(agents.map(({ id }) => id))
  const named = [...edges.flatMap(({ source, target }) => [source, target]), answer_from]
  return (
    ids.size === agents.length &&
    new Set(edges.map(edgeId)).size === edges.length &&
    named.every((id) => id === null || ids.has(id)) &&
    agents.every(({ role }) => Object.values(role).flat().every(isClean))
  )
}

const isClean = (text: string): boolean => cleanText(text) === text
