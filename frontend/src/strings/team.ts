/** Every sentence of “Train a team”. */
import { many } from './many'

export const text = {
  title: 'Train a team',
  lead: 'Two language models learn together, to play a game or to solve your own problems (AT-GRPO). A game needs no dataset, and no training here needs an endpoint.',
  open: 'Train a team',
  lesson: 'Game or dataset',
  /** "Coder and Tester" */
  agents: (names: readonly string[]) => names.join(' and '),
  tasks: (count: number, shown: string) => many(count, 'task', 'tasks', shown),
  misfits: (count: number) => many(count, 'dataset fits no team', 'datasets fit no team'),
  what: 'What they learn',
  who: 'Who learns',
  model: 'Language model',
  nano: 'Starts from nothing. Learns small boards within an hour on two cores.',
  parameters: (count: string) => `${count} parameters`,
  local: 'In the folder of local models',
  hub: 'Another model on the hub…',
  hubHelp: 'As owner/name. It is fetched when the training starts. Its own code is never run.',
  hubName: 'Model on the hub',
  hubExample: 'HuggingFaceTB/SmolLM2-135M-Instruct',
  level: 'Sharing',
  levels: {
    shared: ['One model plays both', 'It gets a prompt for each agent and learns from both (L1).'],
    adapters: ['An adapter for each', 'One model gets a LoRA adapter for each agent (L2).'],
    models: [
      'A model for each',
      'All weights of two models are trained (L3). Needs the most memory.',
    ],
  },
  takes: 'What it will take',
  steps: 'Steps',
  stepsOf: (cold: string, steps: string) => `${cold} supervised, then ${steps} by reward`,
  tokens: 'Tokens sampled',
  atMost: (count: string) => `at most ${count}`,
  memory: 'Memory',
  upTo: (bytes: string) => `up to about ${bytes}`,
  memoryHelp:
    'For the weights, the optimiser and the texts of a step. A training that does not fit is refused before it starts.',
  unknown: 'known when it starts',
  time: 'Time',
  timeNote: 'measured with the first steps by reward',
  timeHelp: 'The page of the training shows it once these have begun.',
  episodes: 'Episodes',
  episodesThere: (count: number, shown: string) =>
    `${many(count, 'episode', 'episodes', shown)} already made`,
  episodesMade: (count: number, shown: string) =>
    `${many(count, 'episode', 'episodes', shown)} will be made`,
  ofTasks: 'Tasks',
  tasksHeldOut: (count: number, shown: string, heldOut: number) =>
    `${many(count, 'task', 'tasks', shown)}, ${String(heldOut)} of them only to measure`,
  needsCurator:
    'These episodes do not exist yet, and your account may not make datasets. Ask an admin for the group “curator”, or choose options whose episodes exist.',
  needsModel: 'Enter the name of the model on the hub.',
  start: 'Train the team',
  making: 'Making the episodes…',
  all: 'All settings',
  problems: 'The training was not started',
  noGame: 'This studio has no game.',
  noMethod: 'This studio cannot train teams of language models.',
  name: (game: string, model: string) => `${game} with ${model}`,
} as const
