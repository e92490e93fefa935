/** From the roles of a pool to what an agent of a design is made of. */
import type { components } from '@/generated/api'

import type { DraftRole } from './edits'

type PoolRole = components['schemas']['RoleState']

export const roleOf = (role: PoolRole): DraftRole => ({
  key: role.key,
  name: role.name,
  family: role.family,
  description: role.description,
  capabilities: role.capabilities,
  prompt: role.prompt,
  tools: role.tools,
  output_form: role.output_form,
  refuse_condition: role.refuse_condition,
})

export const OWN_ROLE: DraftRole = {
  key: 'own',
  name: '',
  family: 'custom',
  description: '',
  capabilities: [],
  prompt: '',
  tools: [],
  output_form: '',
  refuse_condition: '',
}

/** A role with this tool says what a person writes for it: to a person another way of answering, no tool. */
const PERSON_TOOL = 'person'

export const asksPerson = ({ tools }: DraftRole): boolean => tools.includes(PERSON_TOOL)

export const ownTools = ({ tools }: DraftRole): string[] =>
  tools.filter((key) => key !== PERSON_TOOL)

export const withTools = (tools: readonly string[], asks: boolean): string[] =>
  asks ? [...tools, PERSON_TOOL] : [...tools]

export const isOwnTool = (key: string): boolean => key !== PERSON_TOOL
