/** What is fetched once a run turns out to have subtasks. */
import { later } from '@/components/later'

const views = () => import('./subtask-views')

export const SubtaskCanvas = later(async () => (await views()).SubtaskCanvas)
export const SubtaskList = later(async () => (await views()).SubtaskList)
export const SubtaskPanel = later(async () => (await views()).SubtaskPanel)
