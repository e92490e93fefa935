/** How a block is named and marked. */
import {
  Bot,
  GitFork,
  Infinity as Endless,
  ListOrdered,
  MessagesSquare,
  Repeat,
  RotateCw,
  Share2,
  Split,
  Vote,
  type LucideIcon,
} from 'lucide-react'

import { formatCount } from '@/lib/format'

import type { BlockView } from './blocks'
import type { BlockKind, DrawnBlock } from './scripts'
import { text } from './words'

export const ICONS: Readonly<Record<BlockKind, LucideIcon>> = {
  agent: Bot,
  ensemble: Vote,
  reflection: RotateCw,
  debate: MessagesSquare,
  router: Split,
  sequence: ListOrdered,
  conditional: GitFork,
  loop: Repeat,
  graph: Share2,
  if: GitFork,
  for: Repeat,
  while: Endless,
}

export const nameOfBlock = ({ kind, name }: DrawnBlock): string => name || text.kind[kind]

/** “Ensemble · majority”, with its name where it has one of its own. */
export function headOf({ kind, name, detail }: DrawnBlock): string {
  const word = text.kind[kind]
  const own = name !== '' && name.toLowerCase() !== word.toLowerCase() ? name : null
  return [word, own, detail].filter(Boolean).join(' · ')
}

/** "done · 2 calls · 212 tokens", or that it was not asked. */
export function standing(view: BlockView, isOver: boolean): string {
  const { calls, status } = view
  return calls.length === 0 ? used(view, isOver) : `${text.state[status]} · ${used(view, isOver)}`
}

/** The same where an icon tells the state. */
export function used({ calls, tokens }: BlockView, isOver: boolean): string {
  if (calls.length === 0) return isOver ? text.unasked : text.state.waiting
  const told = [text.calls(calls.length), tokens === null ? '' : text.tokens(formatCount(tokens))]
  return told.filter(Boolean).join(' · ')
}
