import { isObject } from '@/lib/is-object'
import { strings } from '@/strings/studio'

const words = strings.problems

/** One error for everything that can go wrong between the page and the API. */
export interface FieldProblem {
  readonly field: string
  readonly code: string
  readonly message: string
}

export interface Problem {
  readonly code: string
  readonly message: string
  readonly remedy: string
  readonly status: number
  readonly fields: readonly FieldProblem[]
  /** Seconds to wait, where the server said so (429, 503). */
  readonly retryAfter: number | null
}

export class ApiError extends Error implements Problem {
  readonly code: string
  readonly remedy: string
  readonly status: number
  readonly fields: readonly FieldProblem[]
  readonly retryAfter: number | null

  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'ApiError'
    this.code = problem.code
    this.remedy = problem.remedy
    this.status = problem.status
    this.fields = problem.fields
    this.retryAfter = problem.retryAfter
  }
}

const text = (value: unknown, fallback = ''): string =>
  typeof value === 'string' ? value : fallback

function fieldsOf(value: unknown): FieldProblem[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).map((field) => ({
    field: text(field.field),
    code: text(field.code),
    message: text(field.message),
  }))
}

const BY_STATUS: Readonly<
  Record<number, readonly [code: string, message: string, remedy: string]>
> = {
  401: ['not_logged_in', ...words.notLoggedIn],
  403: ['forbidden', ...words.forbidden],
  404: ['not_found', ...words.notFound],
  413: ['too_large', ...words.tooLarge],
  429: ['too_many_requests', ...words.tooMany],
}

/** An error answer of the API, whatever its body: our shape, a proxy's HTML page, or nothing. */
export function errorFromResponse(response: Response, body: unknown): ApiError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const [code, message, remedy] = BY_STATUS[response.status] ?? [
    'server_error',
    ...words.server(response.status),
  ]
  const wait = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ApiError({
    code: text(error.code, code),
    message: text(error.message, message),
    remedy: text(error.remedy, remedy),
    status: response.status,
    fields: fieldsOf(error.fields),
    retryAfter: Number.isFinite(wait) ? wait : null,
  })
}

const offline: Problem = {
  code: 'unreachable',
  message: words.unreachable[0],
  remedy: words.unreachable[1],
  status: 0,
  fields: [],
  retryAfter: null,
}

const timedOut: Problem = {
  ...offline,
  code: 'timeout',
  message: words.timeout[0],
  remedy: words.timeout[1],
}

/** Whatever was thrown, as an ApiError, so that a panel can always name cause and remedy. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof DOMException && ['TimeoutError', 'AbortError'].includes(thrown.name))
    return new ApiError(timedOut)
  if (thrown instanceof TypeError) return new ApiError(offline)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new ApiError({
    ...offline,
    code: 'unexpected',
    message: words.unexpected(message),
    remedy: words.unexpectedRemedy,
  })
}

/** The first message for a field; `budget` also finds `budget.max_tokens`. */
export const fieldMessage = (error: ApiError | null, field: string): string | undefined =>
  error?.fields.find((problem) => problem.field === field)?.message
