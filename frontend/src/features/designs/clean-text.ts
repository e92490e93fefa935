/** What the studio can store: a text with a control character in it would keep all of a design unsaved. */

const NO_TEXT = /[^\P{C}\p{Cf}\p{Cn}\p{Co}\t\n\r]/gu
const BLANK = /[\p{Z}\t\n\r]/gu
const UNPRINTABLE = /\p{C}/gu

/** Without control characters and broken Unicode; a tab and a new line may stay. */
export const cleanText = (text: string): string => text.replace(NO_TEXT, '')

/** A name is one printable line. */
export const cleanName = (name: string): string => name.replace(BLANK, ' ').replace(UNPRINTABLE, '')

export const isNameable = (name: string): boolean => name.trim() !== '' && cleanName(name) === name

/** Every text of it cleaned; the same object where all of them are clean. */
export function cleanTexts<T extends object>(part: T): T {
  const dirty = Object.entries(part).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && cleanText(entry[1]) !== entry[1],
  )
  if (dirty.length === 0) return part
  return { ...part, ...Object.fromEntries(dirty.map(([key, value]) => [key, cleanText(value)])) }
}
