import { useEffect, useRef, type RefObject } from 'react'

const INVALID = 'input[aria-invalid="true"], [data-invalid] button'

/** After each refusal the first field in error is brought into view and focused. */
export function useFirstProblem(error: Error | null): RefObject<HTMLDivElement | null> {
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!error) return
    const first = fields.current?.querySelector<HTMLElement>(INVALID)
    // In the middle: at the edges the bars of the page would cover it.
    first?.scrollIntoView({ block: 'center' })
    first?.focus({ preventScroll: true })
  }, [error])
  return fields
}
