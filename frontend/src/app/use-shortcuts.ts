import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'

import { isTyping } from '@/lib/is-typing'

const GO: Readonly<Record<string, string>> = {
  a: '/',
  r: '/runs',
  o: '/roles',
  e: '/endpoints',
  v: '/evaluations',
  l: '/training',
  d: '/datasets',
  g: '/designs',
  t: '/tokens',
}
const SEQUENCE_MS = 1_200

/** `/` goes to the page's query or search field; `g` then a letter goes to a page. */
export function useShortcuts(): void {
  const navigate = useNavigate()
  const goPressedAt = useRef(0)
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
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
