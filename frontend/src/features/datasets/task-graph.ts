/** The graph of subtasks that a task carries in its metadata, where it was composed of others. */
import type { SubtaskSpec, TaskGraphSpec } from '@/generated/events'
import { isObject } from '@/lib/is-object'

const KEY = 'task_graph'

type Metadata = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string => typeof value === 'string'

const isSubtask = (value: unknown): value is SubtaskSpec =>
  isObject(value) &&
  isText(value.id) &&
  isText(value.text) &&
  Array.isArray(value.depends_on) &&
  value.depends_on.every(isText) &&
  (value.reference === null || isText(value.reference))

/** null: the task has none, or what stands in its place is none. */
export function taskGraphOf(metadata: Metadata): TaskGraphSpec | null {
  const graph = metadata[KEY]
  if (!isObject(graph) || !Array.isArray(graph.subtasks)) return null
  const subtasks: unknown[] = graph.subtasks
  return subtasks.length > 0 && subtasks.every(isSubtask) ? { subtasks } : null
}

export const withoutTaskGraph = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== KEY))

/** The places, from 1, of the subtasks whose answers a subtask needs. */
export const needed = ({ subtasks }: TaskGraphSpec, { depends_on }: SubtaskSpec): number[] =>
  subtasks.flatMap(({ id }, place) => (depends_on.includes(id) ? [place + 1] : []))

/** Whether a subtask makes the final answer of all the others' answers. */
export function isLastOfAll(graph: TaskGraphSpec, place: number): boolean {
  const subtask = graph.subtasks[place]
  const isLast = place > 0 && place === graph.subtasks.length - 1
  return isLast && subtask !== undefined && needed(graph, subtask).length === place
}
