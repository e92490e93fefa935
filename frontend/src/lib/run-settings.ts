/** What a run was asked with, or every run of an arm of an evaluation, as names and values. */
import type { Method } from '@/lib/api/queries'
import { configFields, titled, valueText } from '@/lib/config-schema'
import { strings } from '@/strings/studio'

export interface Asked {
  readonly method: string
  readonly method_config: Readonly<Record<string, unknown>>
  readonly checkpoint: string | null
  readonly endpoint: string
  /** null: the run has not started, so nobody knows. */
  readonly model: string | null
  readonly pool: string | null
  readonly pool_version: number | null
  readonly design_version: number | null
  readonly design_name?: string | null
}

export interface Setting {
  readonly key: string
  /** As the form calls it. */
  readonly label: string
  /** What it is for, in the method's words. */
  readonly help: string
  readonly value: string
  /** It is not the method's own. */
  readonly isChanged: boolean
  /** It is not the method's own either, but what the checkpoint was trained under. */
  readonly isTrained: boolean
}

/** The method's settings as it ran with them; all count as changed of a method that is gone. */
export function settingsOf(
  { method_config }: Pick<Asked, 'method_config'>,
  method: Method | undefined,
  trained: Readonly<Record<string, unknown>> = {},
): Setting[] {
  const { properties } = (method?.config_schema ?? {}) as {
    properties?: Readonly<Record<string, { default?: unknown }>>
  }
  const fields = new Map(configFields(method?.config_schema).map((field) => [field.key, field]))
  // Stored, they come in no order.
  const order = Object.keys(properties ?? {}).filter((key) => key in method_config)
  const keys = new Set([...order, ...Object.keys(method_config)])
  return [...keys].map((key) => {
    const value = valueText(method_config[key])
    const isChanged = valueText(properties?.[key]?.default) !== value
    return {
      key,
      label: fields.get(key)?.label ?? titled(key),
      help: fields.get(key)?.help ?? '',
      value,
      isChanged,
      isTrained: isChanged && key in trained && valueText(trained[key]) === value,
    }
  })
}

export const changedText = (settings: readonly Setting[]): string =>
  settings
    .filter(({ isChanged }) => isChanged)
    .map(({ key, value }) => `${key}=${value}`)
    .join(', ')

/** Everything else that it is made of. */
export function partsOf(asked: Asked, method: Method | undefined): (readonly [string, string])[] {
  const { parts } = strings
  const { endpoint, model, pool, pool_version: version } = asked
  const { design_version: drawing, design_name: design } = asked
  const drawn = drawing === null ? parts.designDraft : `v${drawing}`
  const checkpoint = asked.checkpoint ?? (method?.learns ? strings.checkpoints.untrained : null)
  return [
    [parts.method, method?.name ?? asked.method],
    ...(method?.needs_design
      ? [[parts.design, design ? `${design} ${drawn}` : drawn] as const]
      : []),
    ...(checkpoint ? [[parts.checkpoint, checkpoint] as const] : []),
    [parts.endpoint, model === null ? endpoint : `${endpoint} / ${model}`],
    ...(pool ? [[parts.pool, version === null ? pool : `${pool}@${version}`] as const] : []),
  ]
}
