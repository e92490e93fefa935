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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  401: ['not_logged_in', 'You are not logged in.', 'Log in and try again.'],
  403: ['forbidden', 'Your account may not do this.', 'Ask an admin for the right group.'],
  404: ['not_found', 'This does not exist, or no longer.', 'Check the address.'],
  413: ['too_large', 'The request is too large.', 'Shorten it.'],
  429: ['too_many_requests', 'Too many requests.', 'Wait a moment, then try again.'],
}

/** An error answer of the API, whatever its body: our shape, a proxy's HTML page, or nothing. */
export function errorFromResponse(response: Response, body: unknown): ApiError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const [code, message, remedy] = BY_STATUS[response.status] ?? [
    'server_error',
    `The server answered with status ${response.status}.`,
    'Try again; if it stays, the server log names the cause.',
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
  message: 'The studio’s server did not answer.',
  remedy: 'Check that it is running and that you are online, then try again.',
  status: 0,
  fields: [],
  retryAfter: null,
}

const timedOut: Problem = {
  ...offline,
  code: 'timeout',
  message: 'The server took too long to answer.',
  remedy: 'Try again; if it stays slow, the server is busy or stuck.',
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
    message: `Something unexpected happened: ${message}`,
    remedy: 'Reload the page. If it comes back, report the message above.',
  })
}

/** The first message for a field; `budget` also finds `budget.max_tokens`. */
export const fieldMessage = (error: ApiError | null, field: string): string | undefined =>
  error?.fields.find((problem) => problem.field === field)?.message
