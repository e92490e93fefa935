import { use, useCallback } from 'react'
import { UNSAFE_DataRouterContext as RouterContext, useSearchParams } from 'react-router'

interface Change {
  /** Something else is shown from here on: the browser's way back leads to what was shown before. */
  readonly isStep?: boolean
}

type SetParams = (part: Readonly<Record<string, string | null>>, change?: Change) => void

/** Changes several parts of the address at once; null or an empty text takes a part away. */
export function useSetParams(): SetParams {
  const [, setParams] = useSearchParams()
  const router = use(RouterContext)?.router
  return useCallback(
    (part, { isStep = false } = {}) =>
      setParams(
        (drawn) => {
          // A change just made may not be drawn yet, and would be taken back.
          const known = router?.state.location.search ?? drawn
          const next = new URLSearchParams(known)
          for (const [name, value] of Object.entries(part)) {
            if (value === null || value === '') next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace: !isStep, preventScrollReset: true },
      ),
    [setParams, router],
  )
}

/** One part of the address as state, so that a link shows the same page. */
export function useParam(
  name: string,
): readonly [value: string | null, set: (value: string | null) => void] {
  const [params] = useSearchParams()
  const change = useSetParams()
  const set = useCallback((value: string | null) => change({ [name]: value }), [change, name])
  return [params.get(name), set]
}

/** As `useParam`, for one of a few views; anything else is the first of them. Each is a step back. */
export function useChoiceParam<T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): readonly [value: T, set: (value: string) => void] {
  const [params] = useSearchParams()
  const change = useSetParams()
  const [fallback] = choices
  const set = useCallback(
    (value: string) => change({ [name]: value === fallback ? null : value }, { isStep: true }),
    [change, name, fallback],
  )
  return [choices.find((choice) => choice === params.get(name)) ?? fallback, set]
}
