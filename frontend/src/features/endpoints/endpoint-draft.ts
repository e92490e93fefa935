import type { components } from '@/generated/api'
import type { Endpoint } from '@/lib/api/queries'

export type EndpointRequest = components['schemas']['EndpointRequest']

export interface EndpointDraft {
  key: string
  name: string
  base_url: string
  model: string
  api_key_env: string
  context_length: number | null
  prompt_price: number | null
  completion_price: number | null
  max_concurrency: number | null
  timeout_seconds: number | null
  native_tools: boolean
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
  prompt_price: endpoint?.prompt_price ?? null,
  completion_price: endpoint?.completion_price ?? null,
  max_concurrency: endpoint?.max_concurrency ?? 8,
  timeout_seconds: endpoint?.timeout_seconds ?? 120,
  native_tools: endpoint?.native_tools ?? false,
  allow_private_address: endpoint?.allow_private_address ?? false,
  enabled: endpoint?.enabled ?? true,
  is_default: endpoint?.is_default ?? false,
})

/** An emptied number is left to the server's default; an empty price is sent, since it means unknown. */
export function requestOf(draft: EndpointDraft): EndpointRequest {
  const { context_length, max_concurrency, timeout_seconds, ...rest } = draft
  return {
    ...rest,
    ...(context_length === null ? {} : { context_length }),
    ...(max_concurrency === null ? {} : { max_concurrency }),
    ...(timeout_seconds === null ? {} : { timeout_seconds }),
  }
}
