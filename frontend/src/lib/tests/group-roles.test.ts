import { describe, expect, it } from 'vitest'

import { groupRoles, type Role } from '@/lib/group-roles'

const role = (key: string, family: string, more: Partial<Role> = {}): Role => ({
  key,
  family,
  name: key,
  description: '',
  prompt: '',
  version: 1,
  updated_at: '',
  ...more,
})

const roles = [
  role('critic', 'critique', { description: 'Finds the weakest step.' }),
  role('algebraist', 'mathematics', { capabilities: ['factor and simplify'] }),
  role('gardener', 'gardening'),
  role('geometer', 'mathematics'),
]

describe('groupRoles', () => {
  it('orders families as everywhere, with unknown ones last', () => {
    expect(
      groupRoles(roles, '').map(({ family, roles: members }) => [family, members.length]),
    ).toEqual([
      ['mathematics', 2],
      ['critique', 1],
      ['gardening', 1],
    ])
  })

  it('finds every word in name, description, family or capabilities', () => {
    const found = (search: string) =>
      groupRoles(roles, search).flatMap((group) => group.roles.map(({ key }) => key))
    expect(found('SIMPLIFY math')).toEqual(['algebraist'])
    expect(found('weakest')).toEqual(['critic'])
    expect(found('weakest algebraist')).toEqual([])
  })
})
