import { useCallback, useMemo } from 'react'

import { CanvasStage } from '@/components/run/canvas/canvas-stage'
import { frameAt, type MessageEdge } from '@/components/run/canvas/flow-types'
import { MessageEdgeLine } from '@/components/run/canvas/message-edge'
import type { ViewProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { shownWhole } from '@/components/run/run-store'
import {
  DEFAULT_LAYOUT,
  directionFor,
  NOWHERE,
  place,
  type LayoutOptions,
  type Point,
  type Positions,
} from '@/graph/layout'
import { Router } from '@/graph/route'

import { SubtaskNode, SubtasksContext, type SubtaskCard } from './subtask-node'
import { divisionOf, KEY, type PlannedSubtask, type SubtaskView } from './task-graph'
import { useWhyNone } from './use-planning'
import { useSubtasks } from './use-subtasks'
import { text } from './view-words'
import { text as names } from './words'

const NODE_TYPES = { subtask: SubtaskNode }
const EDGE_TYPES = { message: MessageEdgeLine }
const NOTHING_PLANNED: readonly PlannedSubtask[] = []
const SIZE = { width: 228, height: 182, columnGap: 40, rowGap: 24 }

/** The query as subtasks: whom each was given to, and what came of it. */
export function SubtaskCanvas({ selected, onSelect }: Readonly<ViewProps>) {
  const subtasks = useSubtasks()
  const { tasks, layout, positions } = usePlaces()
  const arrange = useRun((state) => state.arrangeOwn)
  const moveOwn = useRun((state) => state.moveOwn)
  const move = useCallback((id: string, point: Point) => moveOwn(KEY, id, point), [moveOwn])
  const whyNone = useWhyNone()
  const lookingBack = useRun((state) => state.moment !== null)
  const byId = useMemo(() => new Map(subtasks.map((each) => [each.id, each])), [subtasks])
  const ids = subtasks.map(({ id }) => id).join(' ')
  const nodes = useMemo(() => cardsOf(ids, positions, layout), [ids, positions, layout])
  const edges = useMemo(() => linesOf(subtasks, positions, layout), [subtasks, positions, layout])
  const active = subtasks.filter(({ status }) => status === 'asked').map(({ id }) => id)
  const colorOf = useCallback(
    (id: string) => (byId.get(id)?.result ? 'var(--accent)' : 'var(--line-strong)'),
    [byId],
  )
  return (
    <div className="relative size-full min-h-0">
      <SubtasksContext value={byId}>
        <CanvasStage
          label={text.canvas.label}
          help={text.canvas.help}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          positions={positions}
          direction={layout.direction}
          layout={layout}
          colorOf={colorOf}
          selected={selected}
          onSelect={onSelect}
          onMove={move}
          onTidy={(tidy) => arrange(KEY, tidy(tasks, layout))}
          active={active}
          lookingBack={lookingBack}
        />
      </SubtasksContext>
      {whyNone === null ? null : (
        <p className="pointer-events-none absolute inset-x-0 top-10 px-4 text-center text-ink-3">
          {whyNone}
        </p>
      )}
    </div>
  )
}

/** All are planned at once, so each stands where it will stand in the end. */
function usePlaces() {
  const planned = useRun(
    (state) => divisionOf(shownWhole(state)).taskGraph?.subtasks ?? NOTHING_PLANNED,
  )
  const narrow = useRun((state) => state.narrow)
  const moved = useRun((state) => state.moved[KEY] ?? NOWHERE)
  const layout = useMemo((): LayoutOptions => {
    const abreast = planned.filter(({ dependsOn }) => dependsOn.length === 0).length
    return { ...DEFAULT_LAYOUT, ...SIZE, direction: directionFor(abreast, narrow) }
  }, [planned, narrow])
  const tasks = useMemo(() => planned.map(({ id, dependsOn: reads }) => ({ id, reads })), [planned])
  const laid = useMemo(() => place(tasks, NOWHERE, layout), [tasks, layout])
  const positions = useMemo(() => new Map([...laid, ...moved]), [laid, moved])
  return { tasks, layout, positions }
}

function cardsOf(ids: string, positions: Positions, layout: LayoutOptions): SubtaskCard[] {
  return ids.split(' ').flatMap((id) => {
    const position = positions.get(id)
    return position
      ? [{ ...frameAt(id, position, layout), type: 'subtask' as const, data: {}, className: '' }]
      : []
  })
}

function linesOf(
  subtasks: readonly SubtaskView[],
  positions: Positions,
  layout: LayoutOptions,
): MessageEdge[] {
  const router = new Router(positions, layout)
  const nameOf = new Map(subtasks.map(({ id, ordinal }) => [id, names.name(ordinal)]))
  return subtasks.flatMap(({ id: target, dependsOn, status }) =>
    dependsOn.flatMap((source): MessageEdge[] => {
      const route = router.route(source, target)
      if (!route) return []
      const id = `${source}→${target}`
      const edge = {
        ...{ id, source, target, kind: 'message' as const, probability: null, removed: false },
        active: status === 'asked',
      }
      return [
        {
          ...{ id, source, target, type: 'message' },
          ariaLabel: `${nameOf.get(source) ?? source} → ${nameOf.get(target) ?? target}`,
          data: { edge, fresh: false, route },
        },
      ]
    }),
  )
}
