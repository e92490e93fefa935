export { SubtaskCanvas } from './subtask-canvas'
export { SubtaskList } from './subtask-list'
export { SubtaskPanel } from './subtask-panel'
