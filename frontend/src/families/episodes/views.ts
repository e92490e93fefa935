export { EpisodeView } from './episode-view'
export { TurnList } from './turn-list'
