export { EpisodeView } from './episode-view'
export { Still } from './scene-view'
export { TurnList } from './turn-list'
