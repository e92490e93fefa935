/** The families of methods with events and views of their own. A new one is its folder and a line here. */
import type { AnyFamily } from '@/components/run/family-views'

import { construction } from './construction'
import { episodes } from './episodes'
import { scripts } from './scripts'
import { stages } from './stages'
import { subtasks } from './subtasks'

export const FAMILIES: readonly AnyFamily[] = [construction, subtasks, episodes, stages, scripts]
