/** What the policy drew. */
import { kept } from '@/graph/family'

export const KEY = 'team-size'

export interface Drawn {
  readonly size: number
  readonly probabilities: readonly number[]
}

export const { of: drawnOf, change: changeDrawn } = kept<Drawn | null>(KEY, null)
