import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'

import { isNameable } from './clean-text'
import { useDesignStore } from './design-store'
import { useSaverStore } from './saver-context'
import { createDesign } from './use-designs'

/** What is drawn here as a design of its own, under `nameOf` its name; and then that one is open. */
export function useCopyDesign(nameOf: (name: string) => string) {
  const saver = useSaverStore()
  const store = useDesignStore()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const { name, spec } = store.getState().history.present
      const called = isNameable(name) ? name : saver.getState().server.name
      return createDesign({ name: nameOf(called), draft: { ...spec } })
    },
    onSuccess: async ({ id }) => {
      saver.abandon()
      void client.invalidateQueries({ queryKey: ['designs'] })
      await navigate(`/designs/${id}`)
    },
  })
}
