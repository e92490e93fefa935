import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

/** Changes several parts of the address at once; null or an empty text takes a part away. */
export function useSetParams(): (part: Readonly<Record<string, string | null>>) => void {
  const [, setParams] = useSearchParams()
  return useCallback(
    (part) =>
      setParams(
        (known) => {
          const next = new URLSearchParams(known)
          for (const [name, value] of Object.entries(part)) {
            if (value === null || value === '') next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParams],
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

/** As `useParam`, for one of a few known words; anything else is the first of them. */
export function useChoiceParam<T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): readonly [value: T, set: (value: string) => void] {
  const [params] = useSearchParams()
  const change = useSetParams()
  const [fallback] = choices
  const set = useCallback(
    (value: string) => change({ [name]: value === fallback ? null : value }),
    [change, name, fallback],
  )
  return [choices.find((choice) => choice === params.get(name)) ?? fallback, set]
}
