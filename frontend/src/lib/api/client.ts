import createClient, { type Middleware } from 'openapi-fetch'

import type { paths } from '@/generated/api'

import { bodyOf } from './body'
import { errorFromResponse, toApiError } from './errors'
import { sendTold, type OnSent } from './upload'

/** No request without an end: after this the caller gets a `timeout` error with a retry. */
const TIMEOUT_MS = 30_000
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

const csrfCookie = (): string | null =>
  /(?:^|;\s*)studio_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? null

let csrfRequest: Promise<string> | null = null

/** The CSRF token from its cookie, or asked for once when the cookie is missing or not readable. */
async function csrfToken(): Promise<string> {
  const cookie = csrfCookie()
  if (cookie) return cookie
  csrfRequest ??= fetch('/api/auth/csrf', {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
    .then((response) => response.json() as Promise<{ token?: string; csrf_token?: string }>)
    .then((body) => csrfCookie() ?? body.token ?? body.csrf_token ?? '')
    .finally(() => (csrfRequest = null))
  return csrfRequest
}

const endsWithin = (request: Request, milliseconds: number): Request =>
  new Request(request, {
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(milliseconds)]),
  })

const fetchWithin =
  (milliseconds: number) =>
  (request: Request): Promise<Response> =>
    fetch(endsWithin(request, milliseconds))

const PATIENT_MS = 10 * 60_000

/** For a call that downloads a whole file: `{ fetch: patientFetch }`. */
export const patientFetch = fetchWithin(PATIENT_MS)

/** For a call that uploads one, and tells how far that is: `{ fetch: uploadFetch(onSent) }`. */
export const uploadFetch =
  (onSent: OnSent) =>
  (request: Request): Promise<Response> =>
    sendTold(endsWithin(request, PATIENT_MS), onSent)

const middleware: Middleware = {
  async onRequest({ request }) {
    if (!SAFE.has(request.method)) request.headers.set('X-CSRFToken', await csrfToken())
    return request
  },
  async onResponse({ response }) {
    if (response.ok) return undefined
    throw errorFromResponse(
      response,
      await response
        .clone()
        .json()
        .catch(() => null),
    )
  },
  onError: ({ error }) => toApiError(error),
}

/** The typed API. A call resolves with `data` or rejects with an `ApiError`. */
export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: 'same-origin',
  fetch: fetchWithin(TIMEOUT_MS),
  bodySerializer: bodyOf,
})
api.use(middleware)

/** The body of an answer that the schema says is there. */
export async function unwrap<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call
  return data as T
}
