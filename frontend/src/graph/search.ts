/** Words looked for in all that a trace holds: names, prompts, messages, tool calls, answers. */
import type { TraceNode } from './tree'

export interface Excerpt {
  readonly before: string
  readonly match: string
  readonly after: string
}

export interface Found {
  /** The tree with only what was found, and what leads there. */
  readonly roots: readonly TraceNode[]
  readonly hits: ReadonlyMap<string, Excerpt>
}

/** So much before what was found that it stands at the front of a narrow row. */
const BEFORE = 24
const AFTER = 160

/** `words` as they stand, whatever their case and however the text breaks its lines. */
export function searchTrace(roots: readonly TraceNode[], words: string): Found {
  // By a pattern, and not in lower case: a letter's lower case may be longer than the letter.
  const wanted = new RegExp(oneLine(words).replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), 'iu')
  const hits = new Map<string, Excerpt>()
  const keep = (nodes: readonly TraceNode[]): TraceNode[] =>
    nodes.flatMap((node) => {
      const hit = excerptOf(node, wanted)
      if (hit) hits.set(node.id, hit)
      const children = keep(node.children)
      return hit || children.length > 0 ? [{ ...node, children }] : []
    })
  return { roots: keep(roots), hits }
}

function excerptOf(node: TraceNode, wanted: RegExp): Excerpt | null {
  const text = textOf(node)
  const found = wanted.exec(text)
  if (!found) return null
  const at = found.index
  const start = Math.max(0, at - BEFORE)
  const end = at + found[0].length
  return {
    before: `${start > 0 ? '…' : ''}${text.slice(start, at)}`,
    match: text.slice(at, end),
    after: `${text.slice(end, end + AFTER)}${end + AFTER < text.length ? '…' : ''}`,
  }
}

const texts = new WeakMap<TraceNode, string>()

function textOf(node: TraceNode): string {
  const known = texts.get(node)
  if (known !== undefined) return known
  const text = oneLine(`${node.label} ${node.whole() || node.detail}`)
  texts.set(node, text)
  return text
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
