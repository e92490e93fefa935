/** What sets an arm apart from the others, as names and values. */
import type { Method } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

import type { Evaluation } from './use-evaluations'
import { text } from './evaluation-strings'

type Arm = Evaluation['arms'][number]

export interface Setting {
  readonly key: string
  readonly value: string
  /** It is not the method's own. */
  readonly isChanged: boolean
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/** The method's settings as the arm ran with them; all count as changed of a method that is gone. */
export function settingsOf({ method_config }: Arm, method: Method | undefined): Setting[] {
  const { properties } = (method?.config_schema ?? {}) as {
    properties?: Readonly<Record<string, { default?: unknown }>>
  }
  return Object.entries(method_config).map(([key, value]) => ({
    key,
    value: valueText(value),
    isChanged: valueText(properties?.[key]?.default) !== valueText(value),
  }))
}

export const changedText = (settings: readonly Setting[]): string =>
  settings
    .filter(({ isChanged }) => isChanged)
    .map(({ key, value }) => `${key}=${value}`)
    .join(', ')

/** Everything else that an arm is made of. */
export function partsOf(arm: Arm, method: Method | undefined): (readonly [string, string])[] {
  const { form } = text
  const { endpoint, model, pool, pool_version: version } = arm
  const { design_version: drawing } = arm
  const drawn = drawing === null ? form.designDraft : `v${drawing}`
  const checkpoint = arm.checkpoint ?? (method?.learns ? strings.checkpoints.untrained : null)
  return [
    [form.method, method?.name ?? arm.method],
    ...(method?.needs_design ? [[form.design, drawn] as const] : []),
    ...(checkpoint ? [[form.checkpoint, checkpoint] as const] : []),
    [form.endpoint, `${endpoint} / ${model}`],
    ...(pool ? [[form.pool, version === null ? pool : `${pool}@${version}`] as const] : []),
  ]
}
