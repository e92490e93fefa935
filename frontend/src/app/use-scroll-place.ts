/** Where one was on each page of the history: back and forward come to the same place again. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router'

const STORED = 'mas-studio-scroll'
const MOST_KEPT = 100
/** How long a page may take to become as long as it was. */
const PATIENCE_MS = 3_000
const BY_HAND = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

export function useScrollPlace(): void {
  const { key, pathname, search, hash } = useLocation()
  const how = useNavigationType()
  const [known] = useState(storedPlaces)
  const current = useRef(key)
  const before = useRef<string | null>(null)

  useEffect(() => {
    const { history } = globalThis
    const inherited = history.scrollRestoration
    history.scrollRestoration = 'manual'
    const keep = (): void => {
      known.delete(current.current)
      known.set(current.current, globalThis.scrollY)
    }
    const store = (): void =>
      sessionStorage.setItem(STORED, JSON.stringify([...known].slice(-MOST_KEPT)))
    globalThis.addEventListener('scroll', keep, { passive: true })
    globalThis.addEventListener('pagehide', store)
    return () => {
      history.scrollRestoration = inherited
      globalThis.removeEventListener('scroll', keep)
      globalThis.removeEventListener('pagehide', store)
    }
  }, [known])

  useLayoutEffect(() => {
    current.current = key
    const isSamePath = before.current === pathname
    before.current = pathname
    if (hash) return undefined
    if (how === NavigationType.Pop) return reach(known.get(key) ?? 0)
    // A filter or a tab replaces the address and leaves the reader where he is.
    if (how !== NavigationType.Replace || !isSamePath) globalThis.scrollTo(0, 0)
    known.set(key, globalThis.scrollY)
    return undefined
  }, [known, key, pathname, search, hash, how])
}

function storedPlaces(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as [string, number][])
  } catch {
    return new Map() // Somebody else wrote there: every page begins at its top.
  }
}

/** Scrolls there at once, or as soon as the page is long enough, unless the reader moves first. */
function reach(top: number): () => void {
  globalThis.scrollTo(0, top)
  const isThere = (): boolean => Math.abs(globalThis.scrollY - top) < 1
  if (isThere()) return () => undefined
  const observer = new ResizeObserver(() => {
    globalThis.scrollTo(0, top)
    if (isThere()) stop()
  })
  const stop = (): void => {
    observer.disconnect()
    clearTimeout(limit)
    for (const act of BY_HAND) globalThis.removeEventListener(act, stop)
  }
  const limit = setTimeout(stop, PATIENCE_MS)
  for (const act of BY_HAND) globalThis.addEventListener(act, stop, { passive: true })
  observer.observe(document.body)
  return stop
}
