/** Sentences about how likely each role was in a training. */
import { many } from '@/strings/many'

export const text = {
  tab: 'Choices',
  title: 'How likely each agent was',
  help: 'Means over the steps of each third so far. In each layer agents are drawn by these probabilities.',
  source: 'p of EvoMAS, Eq. 11. The layout follows Figure 7.',
  rings: 'Each ring is a layer, layer 1 inside. The likeliest agent of a layer has an outline.',
  none: 'This training has stored no choices yet. Trainings from before this was stored have none.',
  grid: 'Probabilities by stage of the task and by time in the training',
  periods: ['Early', 'Middle', 'Late'],
  steps: (first: string, last: string) =>
    first === last ? `step ${first}` : `steps ${first}–${last}`,
  places: {
    first: 'First stage',
    middle: 'Stages between',
    last: 'Last stage',
  },
  placeHelp: {
    first: 'The first stage of every task.',
    middle: 'All stages between the first and the last one of their task.',
    last: 'The last stage of tasks with two or more stages.',
  },
  stages: (count: number, written: string) => many(count, 'stage', 'stages', written),
  nothing: 'no stage',
  told: (likeliest: readonly string[]) => `Likeliest: ${likeliest.join('; ')}.`,
  likeliest: (layer: number, name: string, probability: string) =>
    `layer ${layer} ${name} ${probability}`,
  sector: (name: string, layer: number, probability: string) =>
    `${name}, layer ${layer}: ${probability}`,
  legend: 'Agents',
  numbers: (place: string) => `${place}: all numbers`,
  agent: 'Agent',
  layer: (layer: number) => `Layer ${layer}`,
  drawn: 'Times drawn',
}
