const MARKS = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g

/**
 * Code as people should see it: marks that turn the direction of what follows, and such as take no room, are written
 * out. Otherwise a line could read as another program than it is (“Trojan Source”, CVE-2021-42574).
 */
export const withMarksShown = (code: string): string =>
  code.replace(
    MARKS,
    (mark) => `⟦U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟧`,
  )
