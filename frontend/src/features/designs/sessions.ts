/** The designs that were open in this tab, as they were left: with question, breakpoints and every step
 * that can be undone. Whoever runs a design and comes back goes on where they were. */
import { forgetAsked, keepAsked } from './asked'
import { createChecker, type Checker } from './checker'
import { createDesignStore, type DesignStore } from './design-store'
import { createSaver, type Saver } from './saver'
import {
  checkDesign,
  checkedOf,
  readDesign,
  readDesignHead,
  saveDesign,
  type Design,
} from './use-designs'

export interface Session {
  readonly store: DesignStore
  readonly saver: Saver
  readonly checker: Checker
}

const MOST = 8
/** By whose it is and what; the one that was opened last is the last. */
const sessions = new Map<string, Session>()

const keyOf = (who: string, id: string): string => `${who} ${id}`

function begin(key: string, design: Design): Session {
  const { id, name, draft } = design
  const store = createDesignStore(name, draft)
  keepAsked(key, store)
  const remote = {
    save: (body: Parameters<typeof saveDesign>[1]) => saveDesign(id, body),
    read: () => readDesign(id),
    head: () => readDesignHead(id),
  }
  const saver = createSaver(design, store, remote)
  const check = checkDesign(id)
  return {
    store,
    saver,
    checker: createChecker(checkedOf(design), { design: store, saver, check }),
  }
}

export function sessionOf(who: string, design: Design): Session {
  const key = keyOf(who, design.id)
  const session = sessions.get(key) ?? begin(key, design)
  sessions.delete(key)
  sessions.set(key, session)
  for (const old of [...sessions.keys()].slice(0, -MOST)) sessions.delete(old)
  return session
}

export const forgetSession = (who: string, id: string): void => {
  const key = keyOf(who, id)
  sessions.delete(key)
  forgetAsked(key)
}
