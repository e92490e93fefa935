export { ConstructionPanel } from './construction-panel'
export { WhySampled } from './why-sampled'
