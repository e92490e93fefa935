const ALLOWED = new Set(['http:', 'https:', 'mailto:'])

/** The URL when it is absolute with an allowed scheme; null for javascript:, data:, relative and odd ones. */
export function safeUrl(url: string): string | null {
  try {
    const parsed = new URL(url)
    return ALLOWED.has(parsed.protocol) ? parsed.href : null
  } catch {
    // Not an absolute URL.
    return null
  }
}
