import { shorten } from '@/lib/format'
import { strings } from '@/strings/studio'

import { ApiError } from './errors'

const SHOWN_CHARS = 300

/** What a form of a stored thing began with. Two people who edit one thing do not overwrite each other unseen. */
export class Began<T extends object> {
  private known: T

  constructor(values: T) {
    this.known = values
  }

  /**
   * What of `mine` its user changed: the rest stays as it is stored now. Raises ApiError with the fields that both
   * changed, each to another value; the next call overwrites those, since its user has seen them.
   */
  async changes(mine: T, stored: () => Promise<T>): Promise<Partial<T>> {
    const before = this.known
    const changed = keysOf(mine).filter((key) => !isSame(mine[key], before[key]))
    const now = await stored()
    const lost = changed.filter(
      (key) => !isSame(now[key], before[key]) && !isSame(now[key], mine[key]),
    )
    if (lost.length > 0) {
      this.known = { ...before, ...part(now, lost) }
      throw changedElsewhere(lost.map((key) => [String(key), now[key]]))
    }
    return part(mine, changed)
  }
}

const keysOf = <T extends object>(values: T) => Object.keys(values) as (keyof T)[]

const part = <T extends object>(values: T, keys: readonly (keyof T)[]): Partial<T> =>
  Object.fromEntries(keys.map((key) => [key, values[key]])) as Partial<T>

/** JSON writes NaN, a number that could not be read, as null. */
const isSame = (one: unknown, other: unknown): boolean =>
  !Number.isNaN(one) && JSON.stringify(one) === JSON.stringify(other)

function changedElsewhere(fields: readonly (readonly [field: string, now: unknown])[]): ApiError {
  const { message, remedy, nowSays } = strings.problems.changedElsewhere
  const said = (now: unknown) =>
    shorten(typeof now === 'string' ? now : JSON.stringify([now]).slice(1, -1), SHOWN_CHARS)
  return new ApiError({
    code: 'changed_elsewhere',
    message: message(fields.map(([field, now]) => `${field} (now: ${said(now)})`).join(', ')),
    remedy,
    status: 409,
    fields: fields.map(([field, now]) => ({
      field,
      code: 'changed_elsewhere',
      message: nowSays(said(now)),
    })),
    retryAfter: null,
  })
}
