/** The question and breakpoints of an open design, kept by the tab: a reload loses none of them. */
import { keepable, type AttachedFile } from '@/components/attach/attachments'

import type { DesignStore, Question } from './design-store'

const PREFIX = 'mas-studio-asked'
const keyOf = (session: string): string => `${PREFIX} ${session}`

/** From now on the store has what the tab kept, and the tab what the store has. */
export function keepAsked(session: string, store: DesignStore): void {
  store.setState(kept(session))
  store.subscribe((state, before) => {
    if (state.question === before.question && state.breakpoints === before.breakpoints) return
    const { breakpoints } = state
    const question = { ...state.question, files: keepable(state.question.files) }
    try {
      sessionStorage.setItem(
        keyOf(session),
        JSON.stringify({ question, breakpoints: [...breakpoints] }),
      )
    } catch {
      // Without storage they last as long as the page.
    }
  })
}

export function forgetAsked(session: string): void {
  try {
    sessionStorage.removeItem(keyOf(session))
  } catch {
    // Nothing could be kept there either.
  }
}

interface Asked {
  question?: Question
  breakpoints?: ReadonlySet<string>
}

function kept(session: string): Asked {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(session)) ?? '{}')
    return typeof found === 'object' && found !== null ? read(found) : {}
  } catch {
    // Blocked, or whatever else stands there is not ours.
    return {}
  }
}

function read(found: { question?: unknown; breakpoints?: unknown }): Asked {
  const { question, breakpoints } = found
  return {
    ...(isQuestion(question) ? { question: { ...question, files: filesIn(question.files) } } : {}),
    ...(Array.isArray(breakpoints)
      ? { breakpoints: new Set(breakpoints.filter((id) => typeof id === 'string')) }
      : {}),
  }
}

/** What an older studio kept has no files. */
const filesIn = (value: unknown): AttachedFile[] =>
  Array.isArray(value) ? value.filter(isSentFile) : []

function isSentFile(value: unknown): value is AttachedFile {
  if (typeof value !== 'object' || value === null) return false
  const { key, name, size, id, sent, problem } = value as Record<string, unknown>
  const isText = [key, name, id].every((each) => typeof each === 'string')
  return isText && typeof size === 'number' && typeof sent === 'number' && problem === null
}

function isQuestion(value: unknown): value is Omit<Question, 'files'> & { files?: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const { query, endpoint, step } = value as Record<string, unknown>
  return isTextOrNull(query) && isTextOrNull(endpoint) && typeof step === 'boolean'
}

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === 'string'
