import type { SubtaskSpec, TaskGraphSpec } from '@/generated/events'
import { UNKNOWN } from '@/lib/format'

import { text } from '@/strings/datasets'
import { isLastOfAll, needed } from './task-graph'

const { subtasks: words } = text

/** A task graph as a list: each subtask after all that it needs, with its right answer. */
export function SubtaskList({ graph }: Readonly<{ graph: TaskGraphSpec }>) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-xs font-semibold text-ink-2">{words.title}</h3>
      <ol className="divide-y divide-line rounded-md border border-line">
        {graph.subtasks.map((subtask, place) => (
          <Item key={subtask.id} subtask={subtask} place={place} graph={graph} />
        ))}
      </ol>
    </section>
  )
}

interface ItemProps {
  subtask: SubtaskSpec
  place: number
  graph: TaskGraphSpec
}

function Item({ subtask, place, graph }: Readonly<ItemProps>) {
  const numbers = needed(graph, subtask)
  const isFinal = isLastOfAll(graph, place)
  const needs = numbers.length === 0 ? words.needsNone : words.needs(numbers)
  return (
    <li className="flex flex-col gap-1 px-3 py-2">
      <p className="flex flex-wrap items-baseline gap-x-2 text-xs">
        <span className="font-semibold">{isFinal ? words.final : words.problem(place + 1)}</span>
        <span className="text-ink-3">{isFinal ? words.needsAll : needs}</span>
        <span className="ml-auto font-medium tabular-nums">
          {words.answer(subtask.reference ?? UNKNOWN)}
        </span>
      </p>
      <p className="break-words whitespace-pre-wrap">{subtask.text}</p>
    </li>
  )
}
