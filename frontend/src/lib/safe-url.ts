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

const OWN = '/corpus/'

/** The path of one of the studio's own pages that agents read; null for all other addresses. */
export function ownPage(address: string): string | null {
  if (!address.startsWith(OWN)) return null
  const { origin, pathname, search, hash } = new URL(address, 'http://studio.invalid')
  // “/corpus/../api/…” is none.
  return origin === 'http://studio.invalid' && pathname.startsWith(OWN)
    ? `${pathname}${search}${hash}`
    : null
}

/** A web page's address; null for mailto: and all that `safeUrl` refuses. */
export function pageUrl(address: string): URL | null {
  const url = safeUrl(address)
  return url?.startsWith('http') ? new URL(url) : null
}
