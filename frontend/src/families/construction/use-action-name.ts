import { useCallback } from 'react'

import { useRoleName } from '@/components/run/use-roles'

import { text } from './words'

/** The name of an action: of the role that it adds, or of what else it does. */
export function useActionName(): (action: string) => string {
  const roleName = useRoleName()
  return useCallback(
    (action) => (action === 'DELETE' || action === 'EXIT' ? text[action] : roleName(action)),
    [roleName],
  )
}
