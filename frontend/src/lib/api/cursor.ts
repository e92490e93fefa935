/** The cursor in the address of a next page; null after the last. */
export const cursorOf = (url: string | null | undefined): string | null =>
  url ? new URL(url, globalThis.location.origin).searchParams.get('cursor') : null
