/** Every family at once, for tests: none is waited for. */
import type { RunFamily } from '@/components/run/family-views'

import { construction } from './construction'
import { family as episodes } from './episodes/family'
import { family as subtasks } from './subtasks/family'

export const FAMILIES: readonly RunFamily[] = [construction, subtasks, episodes]
