import { useEffect, useRef, type RefObject } from 'react'
import { useLocation } from 'react-router'

/** For one thing among others on a page: the address ends in `#id` when somebody is led to it. It is
 * scrolled to and focused then, so that the keyboard goes on from there. */
export function useLinked<T extends HTMLElement>(id: string): RefObject<T | null> {
  const { hash, key } = useLocation()
  const element = useRef<T>(null)
  const isMeant = hash === `#${encodeURIComponent(id)}`
  useEffect(() => {
    if (!isMeant) return
    element.current?.scrollIntoView({ block: 'start' })
    element.current?.focus({ preventScroll: true })
  }, [isMeant, key])
  return element
}
