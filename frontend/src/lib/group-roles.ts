import type { components } from '@/generated/api'
import { FAMILY_KEYS, familyOf } from '@/lib/families'

export type Role = components['schemas']['Role']

/** What a role is found by; that of a draft and that of a published version have it. */
type Named = Pick<Role, 'name' | 'key' | 'family' | 'description' | 'capabilities'>

export interface RoleGroup<T extends Named = Role> {
  readonly family: string
  readonly roles: readonly T[]
}

const matches = (role: Named, words: readonly string[]): boolean => {
  const text = [role.name, role.key, role.family, role.description, ...(role.capabilities ?? [])]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Roles that contain every word of `search`, by family in the order of the families. */
export function groupRoles<T extends Named>(roles: readonly T[], search: string): RoleGroup<T>[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = roles.filter((role) => matches(role, words))
  const rank = (family: string): number => FAMILY_KEYS.indexOf(familyOf(family).key)
  return [...new Set(found.map(({ family }) => family))]
    .map((family) => ({ family, roles: found.filter((role) => role.family === family) }))
    .sort((left, right) => rank(left.family) - rank(right.family))
}
