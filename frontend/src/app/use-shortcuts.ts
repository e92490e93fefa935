import { useEffect, useEffectEvent, useRef } from 'react'
import { useNavigate } from 'react-router'

import { isOverPage, isTyping } from '@/lib/is-typing'

import { places } from './places'

const GO: Readonly<Record<string, string>> = {
  ...Object.fromEntries(places.map(({ letter, to }) => [letter, to])),
  t: '/tokens',
}
const SEQUENCE_MS = 1_200

const isPalette = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'

/**
 * Ctrl K opens the palette, also out of a field; `/` goes to the page's query or search field; `g` then a
 * letter goes to a page.
 */
export function useShortcuts(openPalette: () => void): void {
  const navigate = useNavigate()
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY)
  const open = useEffectEvent(openPalette)
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      if (isPalette(event)) {
        event.preventDefault()
        open()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return
      // What is typed into the palette arrives twice: at its field, and at the item it has chosen.
      if (isTyping(event.target) || isOverPage(event.target)) return
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('[data-slash-focus] :is(textarea, input)')
        if (field) {
          event.preventDefault()
          field.focus()
        } else void navigate('/')
        return
      }
      const page = event.timeStamp - goPressedAt.current < SEQUENCE_MS ? GO[event.key] : undefined
      goPressedAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (page) void navigate(page)
    }
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [navigate])
}
