import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'

/** A change of what the server has. `stale` is read again after it, and then `onDone` follows. */
export function useChange<Answer, Wanted = void>(
  mutationFn: (wanted: Wanted) => Promise<Answer>,
  stale: readonly QueryKey[],
  onDone?: (answer: Answer) => unknown,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: async (answer) => {
      await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
      await onDone?.(answer)
    },
  })
}
