/** Where to go after logging in: a path of this studio, never another site's address. */
export function landing(next: string | null): string {
  if (!next) return '/'
  const origin = globalThis.location.origin
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null
  if (url?.origin !== origin || url.pathname === '/login') return '/'
  return `${url.pathname}${url.search}${url.hash}`
}

/** Whether the server itself answers there with a page, of which the router knows nothing. */
export const isServerPage = (path: string): boolean => /^\/(?:admin|api)\//.test(path)
