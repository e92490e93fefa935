export { StageSide } from './stage-side'
export { StagesView } from './stages-view'
