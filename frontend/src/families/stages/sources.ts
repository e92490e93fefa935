/** Where the answer comes from: pages that messages name under “Sources:”, and what tools read. */
import type { Source } from '@/graph/frames'
import type { AgentView, AttemptView } from '@/graph/run-view'
import { textOr } from '@/lib/format'
import { ownPage, pageUrl } from '@/lib/safe-url'

const HEAD = /^[\s>#*_-]*(?:sources?|references?)\s*[*_]*\s*:[*_]*/im
const LINK = /\[([^\]\n]{1,300})\]\(\s*(https?:\/\/[^\s)]+)\s*\)|https?:\/\/[^\s<>"'`\])}]+/gi
/** At the end of a sentence or a bracket, no part of the address. */
const AFTER = /[.,;:!?*_]+$/
/** Numbers and marks of a list, and what stands between a title and its address. */
const AROUND = /^[\s\d.)\]([*_•–—-]+|[\s:,(–—\-*_[]+$/g

/** Of an answer: pages that were named as its sources, and what else was read for it. */
export interface AnswerSources {
  readonly named: readonly Source[]
  readonly read: readonly Source[]
}

/** Links below the last “Sources:” of a message. */
export function sourcesIn(message: string): readonly Source[] {
  const list = message.split(new RegExp(HEAD, 'gim')).slice(1).at(-1)
  if (list === undefined) return []
  return list.split('\n').flatMap((line) => {
    let end = 0
    return [...line.matchAll(LINK)].map((match) => {
      const [whole, title, linked] = match
      const before = line.slice(end, match.index).replaceAll(AROUND, '')
      end = match.index + whole.length
      return { title: title ?? before, address: linked ?? whole.replace(AFTER, '') }
    })
  })
}

/** The agents whose words led to the answer: the one that gave it, and all that it has read, one after the other. */
export function answeringAgents(attempt: AttemptView): readonly AgentView[] {
  const found = new Set(attempt.answeredBy ?? [])
  // A set grows while it is walked through.
  for (const id of found) for (const read of attempt.agents.get(id)?.reads ?? []) found.add(read)
  return [...attempt.agents.values()].filter(({ id }) => found.has(id))
}

export function sourcesOf(attempt: AttemptView): AnswerSources {
  const agents = answeringAgents(attempt)
  const messages = [...agents.map(({ message }) => message), attempt.outcome?.message]
  const read = agents
    .flatMap(({ tools }) => tools)
    .filter(({ ok }) => ok === true)
    .flatMap(({ sources }) => sources)
    .filter((source) => isPage(source) || source.address === '')
  const titles = new Map(read.map((source) => [keyOf(source), source.title]))
  const own = new Map(
    read.flatMap(({ address }) => (ownPage(address) ? [[decoded(address), address]] : [])),
  )
  const here = (source: Source): Source => {
    const url = pageUrl(source.address)
    const address = own.get(url ? decoded(url.pathname) : '')
    return address ? { ...source, address } : source
  }
  const told = messages.flatMap((message) => sourcesIn(message ?? '')).filter(isPage)
  const named = unique(told.map(here)).map((source) => ({
    ...source,
    title: textOr(titles.get(keyOf(source)), source.title),
  }))
  const isNamed = new Set(named.map(keyOf))
  return { named, read: unique(read).filter((source) => !isNamed.has(keyOf(source))) }
}

const isPage = ({ address }: Source): boolean => (ownPage(address) ?? pageUrl(address)) !== null

/** Addresses of one page may be escaped in different ways. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // A percent sign that stands for itself.
    return path
  }
}

/** A page is the same with any fragment. */
const keyOf = ({ title, address }: Source): string =>
  ownPage(address) ??
  pageUrl(address)?.href.replace(/#.*$/, '').replace(/\/$/, '') ??
  `${address} ${title}`

function unique(sources: readonly Source[]): readonly Source[] {
  const found = new Map<string, Source>()
  for (const source of sources) {
    const key = keyOf(source)
    if (!found.get(key)?.title) found.set(key, source)
  }
  return [...found.values()]
}
