/** What is wrong with the design while it is drawn, asked of the server, which alone knows the rules. */
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { Drawing } from '@/families/scripts/scripts'

import type { DesignStore } from './design-store'
import type { DesignSpec } from './edits'
import type { Saver } from './saver'
import { checkedOf, type DesignProblem } from './use-designs'

export const QUIET_MS = 300
/** Somebody who types without a pause is told all the same. */
export const LONGEST_MS = 1_000

export type Problems = readonly DesignProblem[]

/** What a script means; null: of a drawing, or of a script with a mistake. */
export type Meaning = Drawing | null

export interface Checked {
  readonly problems: Problems
  readonly meaning: Meaning
}

export interface CheckerState extends Checked {
  /** By agent, the same list as before where an agent's problems are the same: its card is not drawn anew. */
  readonly ofAgent: ReadonlyMap<string, Problems>
}

export type Check = (draft: DesignSpec, signal: AbortSignal) => Promise<Checked>

export interface Checker extends StoreApi<CheckerState> {
  /** Listens to the design and to what saves it until the function that it returns is called; again later
   * goes on. */
  readonly start: () => () => void
}

export function createChecker(
  first: Checked,
  { design, saver, check }: Readonly<{ design: DesignStore; saver: Saver; check: Check }>,
): Checker {
  const store = createStore<CheckerState>()(() => told(first, new Map()))
  const content = (): DesignSpec => design.getState().history.present.spec
  let known = content()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Since when something is not checked, and when it changed last. */
  let since: number | null = null
  let changedAt = 0
  let sending: AbortController | null = null

  const take = (checked: Checked): void => store.setState(({ ofAgent }) => told(checked, ofAgent))

  const plan = (): void => {
    const now = Date.now()
    since ??= now
    const due = Math.min(changedAt + QUIET_MS, since + LONGEST_MS)
    clearTimeout(timer)
    timer = setTimeout(() => void send(), Math.max(0, due - now))
  }

  const stop = (): void => {
    clearTimeout(timer)
    sending?.abort()
    sending = null
    since = null
  }

  const send = async (): Promise<void> => {
    const isTyping = Date.now() - changedAt < QUIET_MS
    // A slow server is not asked the next while it thinks; after a pause only the newest counts.
    if (sending && isTyping) return
    stop()
    const draft = content()
    const request = new AbortController()
    sending = request
    known = draft
    try {
      take(await check(draft, request.signal))
    } catch {
      // What was told last stays; the next change asks again, and a save tells, too.
    }
    if (sending !== request) return
    sending = null
    if (content() !== draft) plan()
  }

  const changed = (): void => {
    const draft = content()
    if (draft === known) return
    known = draft
    changedAt = Date.now()
    plan()
  }

  const saved = (): void => {
    const { state, server } = saver.getState()
    if (state !== 'saved') return
    stop()
    known = content()
    take(checkedOf(server))
  }

  return {
    ...store,
    start: () => {
      const ends = [design.subscribe(changed), saver.subscribe(saved)]
      // What was left unsaved when the page was left may not have been checked, either.
      if (saver.isUnsaved()) plan()
      return () => {
        for (const end of ends) end()
        stop()
      }
    },
  }
}

function told({ problems, meaning }: Checked, before: CheckerState['ofAgent']): CheckerState {
  const ofAgent = new Map<string, DesignProblem[]>()
  for (const problem of problems) {
    if (problem.agent_id === null) continue
    const those = ofAgent.get(problem.agent_id)
    if (those) those.push(problem)
    else ofAgent.set(problem.agent_id, [problem])
  }
  return {
    problems,
    meaning,
    ofAgent: new Map(
      [...ofAgent].map(([id, now]) => {
        const old = before.get(id)
        return [id, old && isSame(old, now) ? old : now]
      }),
    ),
  }
}

/** Each comes from the same serializer, so the same problem is the same text. */
const isSame = (left: Problems, right: Problems): boolean =>
  JSON.stringify(left) === JSON.stringify(right)
