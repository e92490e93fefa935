/** Numbers for people. Unknown (null or undefined) is an em dash, never 0. */
export const UNKNOWN = '—'

type Maybe = number | null | undefined

/** A text, or what stands for one that is empty or missing. */
export const textOr = (text: string | null | undefined, otherwise = UNKNOWN): string =>
  text === undefined || text === null || text === '' ? otherwise : text

const integer = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 20 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const dayTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const exactClock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const localDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

const known = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value)

/** 12,345 */
export const formatCount = (value: Maybe): string =>
  known(value) ? integer.format(value) : UNKNOWN

/** 12,345.75: all its digits, as of a limit. */
export const formatExact = (value: number): string => exact.format(value)

/** 12.3K: for places where a digit more would not be read. */
export const formatCompact = (value: Maybe): string =>
  known(value) ? compact.format(value) : UNKNOWN

/** Prompt + completion tokens; unknown as soon as one part is. */
export const totalTokens = (usage: {
  readonly prompt_tokens: Maybe
  readonly completion_tokens: Maybe
}): number | null =>
  known(usage.prompt_tokens) && known(usage.completion_tokens)
    ? usage.prompt_tokens + usage.completion_tokens
    : null

/** US dollars: $0, $0.000012, $0.0123, $12.30 – always enough digits to be told from zero. */
export function formatCost(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  if (value === 0) return '$0'
  const size = Math.abs(value)
  if (size >= 1) return `$${value.toFixed(2)}`
  const decimals = Math.min(12, 1 - Math.floor(Math.log10(size)))
  return `$${value.toFixed(decimals)}`
}

/** Seconds as 430 ms, 4.3 s, 43 s, 3 min 05 s, 2 h 04 min. */
export function formatSeconds(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  if (value < 0.9995) return `${Math.round(value * 1000)} ms`
  if (value < 9.95) return `${value.toFixed(1)} s`
  const whole = Math.round(value)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`
}

/** An estimate of seconds, in whole ones: 4 s, 43 s, 3 min 05 s. Never 0: it is not over yet. */
export const formatLeft = (seconds: number): string => {
  const whole = Math.max(1, Math.round(seconds))
  return whole < 60 ? `${whole} s` : formatSeconds(whole)
}

const pad = (value: number): string => String(value).padStart(2, '0')

/** A probability as 7.3 % or 42 %; a possible but tiny one is never shown as 0. */
export function formatProbability(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  const percent = value * 100
  if (percent === 0 || percent === 100) return `${percent} %`
  if (percent < 0.1) return '<0.1 %'
  if (percent > 99.9) return '>99.9 %'
  return `${percent < 9.95 || percent > 99 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** A share as 82.4 %: one digit, so that small differences between methods can be seen. */
export const formatShare = (value: Maybe): string =>
  known(value) ? `${(value * 100).toFixed(1)} %` : UNKNOWN

/** A round share on an axis: 40 %, 2.5 %. */
export const formatPercent = (value: Maybe): string =>
  known(value) ? `${Number((value * 100).toPrecision(3))} %` : UNKNOWN

/** A difference of shares in percentage points, with its sign: +3.1 pp, −2.0 pp, 0.0 pp. */
export function formatPoints(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  const digits = Math.abs(value * 100).toFixed(1)
  const sign = digits === '0.0' ? '' : value > 0 ? '+' : '−'
  return `${sign}${digits} pp`
}

/** A p-value: 0.032, or <0.001. */
export function formatP(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  return value < 0.001 ? '<0.001' : value.toFixed(value < 0.1 ? 3 : 2)
}

/** Any metric: three significant digits, without trailing zeros; tiny and huge ones as 1.2e-5. */
export function formatMetric(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  const size = Math.abs(value)
  const sign = value < 0 ? '−' : ''
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return `${sign}${size.toExponential(1)}`
  return `${sign}${size >= 1000 ? integer.format(size) : String(Number(size.toPrecision(3)))}`
}

/** A metric whose sign is the news: +0.12, −0.3, 0. */
export const formatSigned = (value: Maybe): string =>
  `${known(value) && value > 0 ? '+' : ''}${formatMetric(value)}`

/** Bytes as 820 B, 3.4 MB. */
export function formatBytes(value: Maybe): string {
  if (!known(value)) return UNKNOWN
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  const scaled = value / 1000 ** power
  return `${power === 0 || scaled >= 99.5 ? Math.round(scaled) : scaled.toFixed(1)} ${units[power] ?? 'B'}`
}

/** "just now", "4 min ago", "3 h ago", then a date. Times are ISO 8601 or milliseconds. */
export function formatAgo(time: string | null | undefined, now: number): string {
  if (!time) return UNKNOWN
  const then = new Date(time)
  const seconds = (now - then.getTime()) / 1000
  if (Number.isNaN(seconds)) return UNKNOWN
  if (seconds < 45) return 'just now'
  if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 84_600) return `${Math.round(seconds / 3600)} h ago`
  return dayTime.format(then)
}

/** The full local date and time, for titles and details. */
export const formatDateTime = (time: string | null | undefined): string =>
  time ? dateTime.format(new Date(time)) : UNKNOWN

const HOUR_MS = 3_600_000

/** A moment on an axis of `span` milliseconds, as exact as its ticks differ: 10:04:12, 10:04, 24 Nov. */
export function formatMoment(time: string, span: number): string {
  const form = span < HOUR_MS ? exactClock : span < 48 * HOUR_MS ? clock : localDay
  return form.format(new Date(time))
}

/** A date without a time, such as 2026-11-24: 24 Nov. */
export const formatDay = (date: string): string => day.format(new Date(date))

/** The same with its year: 24 Nov 2026. */
export const formatDate = (date: string): string => dayOfYear.format(new Date(date))

/** First line, cut at `limit` characters with an ellipsis; never inside a surrogate pair. */
export function shorten(text: string, limit: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const characters = Array.from(flat)
  return characters.length <= limit
    ? flat
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}
