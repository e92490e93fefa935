import {
  useCallback,
  useEffect,
  useRef,
  type FocusEvent,
  type KeyboardEvent,
  type RefCallback,
} from 'react'

/** On each button of a list that is one stop of Tab. */
export const ROVING = { 'data-roving': true } as const
const ITEMS = '[data-roving]'

interface Roving {
  readonly ref: RefCallback<HTMLElement>
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onFocus: (event: FocusEvent) => void
}

const ARROWS = { down: ['ArrowUp', 'ArrowDown'], right: ['ArrowLeft', 'ArrowRight'] } as const
type Direction = keyof typeof ARROWS

/** Makes a list of buttons one stop of Tab: the arrow keys, Home and End walk in it, and Tab comes back to
 * where they were. For the element around the list. */
export function useRoving(direction: Direction = 'down'): Roving {
  const list = useRef<HTMLElement | null>(null)
  const stop = useRef<HTMLElement | null>(null)
  const settle = useCallback((): HTMLElement[] => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])]
    if (!stop.current || !items.includes(stop.current)) stop.current = items[0] ?? null
    for (const item of items) item.tabIndex = item === stop.current ? 0 : -1
    return items
  }, [])
  // Items come and go with what is searched for.
  useEffect(() => void settle())
  const ref = useCallback<RefCallback<HTMLElement>>((element) => {
    list.current = element
  }, [])
  return {
    ref,
    onFocus: ({ target }) => {
      if (!(target instanceof HTMLElement) || !target.matches(ITEMS)) return
      stop.current = target
      settle()
    },
    onKeyDown: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      const items = settle()
      const to = itemAfter(event.key, items, stop.current, direction)
      if (!to) return
      event.preventDefault()
      to.focus()
    },
  }
}

function itemAfter(
  key: string,
  items: readonly HTMLElement[],
  current: HTMLElement | null,
  direction: Direction,
): HTMLElement | undefined {
  const index = current ? items.indexOf(current) : -1
  const [back, on] = ARROWS[direction]
  switch (key) {
    case on:
      return items[index + 1]
    case back:
      return items[index - 1]
    case 'Home':
      return items[0]
    case 'End':
      return items.at(-1)
    default:
      return undefined
  }
}
