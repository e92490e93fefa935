import type { components } from '@/generated/api'
import type { Endpoint } from '@/lib/api/queries'
import { BILLION } from '@/lib/model-size'

export type EndpointRequest = components['schemas']['EndpointRequest']

export interface EndpointDraft {
  key: string
  name: string
  base_url: string
  model: string
  api_key_env: string
  context_length: number | null
  /** In billions; null: guessed from the model's name. */
  billions: number | null
  prompt_price: number | null
  completion_price: number | null
  max_concurrency: number | null
  timeout_seconds: number | null
  /** A JSON object as text; empty: none. */
  extra_body: string
  native_tools: boolean
  sees_images: boolean
  allow_private_address: boolean
  enabled: boolean
  is_default: boolean
}

export const draftOf = (endpoint: Endpoint | null): EndpointDraft => ({
  key: endpoint?.key ?? '',
  name: endpoint?.name ?? '',
  base_url: endpoint?.base_url ?? '',
  model: endpoint?.model ?? '',
  api_key_env: endpoint?.api_key_env ?? '',
  context_length: endpoint?.context_length ?? 4_096,
  billions: billionsOf(endpoint),
  prompt_price: endpoint?.prompt_price ?? null,
  completion_price: endpoint?.completion_price ?? null,
  max_concurrency: endpoint?.max_concurrency ?? 8,
  timeout_seconds: endpoint?.timeout_seconds ?? 120,
  extra_body: shownFields(endpoint?.extra_body ?? {}),
  native_tools: endpoint?.native_tools ?? false,
  sees_images: endpoint?.sees_images ?? false,
  allow_private_address: endpoint?.allow_private_address ?? false,
  enabled: endpoint?.enabled ?? true,
  is_default: endpoint?.is_default ?? false,
})

/** Extra request fields as a person edits them. */
export const shownFields = (fields: Readonly<Record<string, unknown>>): string =>
  Object.keys(fields).length ? JSON.stringify(fields, null, 2) : ''

/** null: the text is no JSON object, or has a number that would be sent as another one. */
export function readFields(text: string): Record<string, unknown> | null {
  if (!text.trim()) return {}
  try {
    const read: unknown = JSON.parse(text, exact)
    return isObject(read) ? read : null
  } catch {
    return null
  }
}

function exact(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new RangeError('too large')
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const billionsOf = (endpoint: Endpoint | null): number | null =>
  endpoint?.parameters == null ? null : endpoint.parameters / BILLION

/**
 * An emptied number is left to the server's default; an empty price is sent, since it means unknown. A size is sent
 * where it was changed: to send one is to say it, and a guess that nobody looked at is to stay a guess.
 */
export function requestOf(draft: EndpointDraft, endpoint: Endpoint | null): EndpointRequest {
  const { context_length, max_concurrency, timeout_seconds, billions, extra_body, ...rest } = draft
  const parameters = billions === null ? null : Math.round(billions * BILLION)
  return {
    ...rest,
    extra_body: readFields(extra_body) ?? {},
    ...(billions === billionsOf(endpoint) ? {} : { parameters }),
    ...(context_length === null ? {} : { context_length }),
    ...(max_concurrency === null ? {} : { max_concurrency }),
    ...(timeout_seconds === null ? {} : { timeout_seconds }),
  }
}
