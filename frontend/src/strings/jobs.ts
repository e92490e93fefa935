/** What trainings and evaluations say alike. */
import { many } from './many'

export const jobs = {
  search: 'Search names',
  anyStatus: 'Any status',
  mine: 'Only mine',
  clear: 'Clear filters',
  more: 'Load more',
  shown: (count: string) => `${count} shown`,
  emptyViewer: 'Ask an operator to start one.',
  noMatchBody: 'Remove a filter, or search for another part of the name.',
  left: (time: string) => `about ${time} left`,
  waiting: 'Waiting for a worker',
  tasks: (count: number, shown: string) => many(count, 'task', 'tasks', shown),
} as const

/** The fields that say which tasks. */
export const taskFields = {
  dataset: 'Dataset',
  split: 'Split',
  limit: 'How many tasks',
  of: (count: string) => `of ${count}`,
  all: (count: string) => `all ${count}`,
  needsDataset: 'Choose a dataset.',
  emptySplit: (split: string) => `The split “${split}” has no tasks. Choose another split.`,
  noDataset: 'No dataset has tasks yet.',
  addDataset: 'Import a dataset',
} as const
