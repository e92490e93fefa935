export { SubtaskList } from './subtask-list'
export { SubtaskPanel } from './subtask-panel'
export { SubtaskView } from './subtask-view'
