/** What is fetched once a run turns out to be divided into subtasks. */
import { later } from '@/components/later'

const views = () => import('./subtask-views')

export const SubtaskList = later(async () => (await views()).SubtaskList)
export const SubtaskPanel = later(async () => (await views()).SubtaskPanel)
export const SubtaskView = later(async () => (await views()).SubtaskView)
