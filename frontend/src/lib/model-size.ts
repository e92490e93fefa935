/** How large a model is, in words, with who says so. */
import { strings } from '@/strings/studio'

import { formatCompact } from './format'

const { size: words } = strings.endpoints

export interface ModelSize {
  /** null: unknown. */
  readonly parameters?: number | null
  readonly parameters_from: '' | 'server' | 'person' | 'name'
  /** null: a run that is older than this was stored. */
  readonly is_small: boolean | null
}

export const BILLION = 1_000_000_000

/** “500M parameters, guessed from the name: a small model”. */
export function sizeText({ parameters, parameters_from: from, is_small }: ModelSize): string {
  if (is_small === null) return words.notStored
  if (parameters == null) return words.unknown
  const told = words.told(formatCompact(parameters), words.from[from === '' ? 'person' : from])
  return is_small ? words.small(told) : told
}
