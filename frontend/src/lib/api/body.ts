import { defaultBodySerializer } from 'openapi-fetch'

import { strings } from '@/strings/studio'

import { ApiError } from './errors'

/** JSON would turn a field's unreadable number (NaN) into null, which means the default or no limit. Raises ApiError. */
export function bodyOf(body: unknown): string {
  JSON.stringify(body, (_, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value
    const [message, remedy] = strings.problems.unreadNumber
    throw new ApiError({
      code: 'unread_number',
      message,
      remedy,
      status: 0,
      fields: [],
      retryAfter: null,
    })
  })
  return defaultBodySerializer(body)
}
