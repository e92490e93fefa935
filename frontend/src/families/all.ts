/** Every family at once, for tests: none is waited for. */
import { isLater, type RunFamily } from '@/components/run/family-views'

import { FAMILIES as REGISTERED } from './registry'

export const FAMILIES: readonly RunFamily[] = await Promise.all(
  REGISTERED.map(async (family) => (isLater(family) ? await family.load() : family)),
)
