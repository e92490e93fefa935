/** What changed between two states of a task, field by field. */
import type { StageRecord, StageSubtask, TaskState } from '@/generated/events'

import { ordinalIn } from './stages'

export interface Changed<T> {
  readonly before: T
  readonly after: T
}

export interface SubtaskChange {
  /** Its place in the plan that has it. */
  readonly ordinal: number
  /** null: it is new. */
  readonly before: StageSubtask | null
  /** null: the plan no longer has it. */
  readonly after: StageSubtask | null
}

export interface StateDiff {
  readonly subtasks: readonly SubtaskChange[]
  /** Those that stayed stand in another order. */
  readonly isReordered: boolean
  /** By ordinals in their states; 0: none. */
  readonly active: Changed<number> | null
  readonly hint: Changed<string> | null
  readonly trouble: { readonly added: readonly string[]; readonly removed: readonly string[] }
  readonly history: readonly StageRecord[]
}

/** `before` null: there was no state. */
export function diffOf(before: TaskState | null, after: TaskState): StateDiff {
  const [old, now] = [before?.subtasks ?? [], after.subtasks]
  const known = new Map(old.map((each) => [each.id, each]))
  const kept = new Map(now.map((each) => [each.id, each]))
  const stays = old.filter(({ id }) => kept.has(id)).map(({ id }) => id)
  const stages = new Set(before?.history.map(({ stage }) => stage))
  return {
    subtasks: [
      ...old.flatMap((each, place) =>
        kept.has(each.id) ? [] : [{ ordinal: place + 1, before: each, after: null }],
      ),
      ...now.flatMap((each, place) => {
        const was = known.get(each.id) ?? null
        return was && isSame(was, each) ? [] : [{ ordinal: place + 1, before: was, after: each }]
      }),
    ],
    isReordered: now.filter(({ id }) => known.has(id)).some(({ id }, place) => stays[place] !== id),
    active:
      before && before.active !== after.active
        ? { before: ordinalIn(before, before.active), after: ordinalIn(after, after.active) }
        : null,
    hint: before && before.hint !== after.hint ? { before: before.hint, after: after.hint } : null,
    trouble: {
      added: without(after.trouble, before?.trouble ?? []),
      removed: without(before?.trouble ?? [], after.trouble),
    },
    history: after.history.filter(({ stage }) => !stages.has(stage)),
  }
}

export const isEmpty = (diff: StateDiff): boolean =>
  diff.subtasks.length + diff.trouble.added.length + diff.trouble.removed.length === 0 &&
  diff.history.length === 0 &&
  !diff.isReordered &&
  diff.active === null &&
  diff.hint === null

const isSame = (one: StageSubtask, other: StageSubtask): boolean =>
  one.text === other.text &&
  one.status === other.status &&
  one.artifact === other.artifact &&
  one.by === other.by &&
  one.attempts === other.attempts

/** A line may stand there several times. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return lines.filter((line) => {
    const place = left.indexOf(line)
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}
