/** With what two runs were asked: what each is made of, and every setting in which they differ. */
import type { RunDetail } from '@/graph/frames'
import { currentAttempt, type RunView } from '@/graph/run-view'
import type { Method } from '@/lib/api/queries'
import { partsOf, settingsOf, type Setting } from '@/lib/run-settings'
import { strings } from '@/strings/studio'

import { text } from '@/strings/compare'
import { both, isDifferent, textRow, type Pair, type Row } from './rows'

const words = text.facts
/** A drawn graph is a setting of its method; it is not read as a value, but seen as a graph. */
const GRAPH = 'graph'
const LIMITS = [
  'max_tokens',
  'max_cost',
  'max_seconds',
  'max_completion_tokens_per_call',
] as const satisfies readonly (keyof RunDetail['budget'])[]

interface Side {
  readonly run: RunDetail
  readonly model: string | null
  readonly method: Method | undefined
}

export function askedRows(views: Pair<RunView>, methods: readonly Method[] = []): Row[] {
  const [left, right] = both(views, (view): Side | null => {
    const run = view.detail
    if (!run) return null
    const model = currentAttempt(view)?.start?.model ?? null
    return { run, model, method: methods.find(({ key }) => key === run.method) }
  })
  if (!left || !right) return []
  const sides = [left, right] as const
  return [
    ...partRows(sides),
    textRow(
      words.seed,
      both(sides, ({ run }) => String(run.seed)),
    ),
    ...[...settingRows(sides), ...budgetRows(sides), evaluationRow(sides)].filter(isDifferent),
  ]
}

function partRows(sides: Pair<Side>): Row[] {
  const parts = both(sides, ({ run, model, method }) => new Map(partsOf({ ...run, model }, method)))
  return keysOf(parts).map((name) =>
    textRow(
      name,
      both(parts, (each) => each.get(name)),
    ),
  )
}

const keysOf = (sides: Pair<ReadonlyMap<string, unknown>>): string[] => [
  ...new Set(sides.flatMap((side) => [...side.keys()])),
]

/** What the checkpoint brought along and the method's own defaults are stored with the run, too. */
function settingRows(sides: Pair<Side>): Row[] {
  const settings = both(
    sides,
    ({ run, method }) =>
      new Map(settingsOf(run, method).map((each): [string, Setting] => [each.key, each])),
  )
  const keys = keysOf(settings).filter((key) => key !== GRAPH)
  return keys.map((key) => {
    const label = settings.find((each) => each.has(key))?.get(key)?.label ?? key
    return textRow(
      label,
      both(settings, (each) => each.get(key)?.value),
    )
  })
}

function budgetRows(sides: Pair<Side>): Row[] {
  const { budget, budgetFields, noLimit } = strings.ask
  return LIMITS.map((limit) =>
    textRow(
      `${budget}: ${budgetFields[limit]}`,
      both(sides, ({ run }) => String(run.budget[limit] ?? noLimit)),
    ),
  )
}

const evaluationRow = (sides: Pair<Side>): Row =>
  textRow(
    words.evaluation,
    both(sides, ({ run }) =>
      run.evaluation === null
        ? null
        : words.task(run.evaluation_name ?? run.evaluation.slice(0, 8), run.task_index),
    ),
  )
