/** A random id of 128 bits. `crypto.randomUUID` exists only on https and localhost; this works everywhere. */
export function uniqueId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The same as a UUID is written. */
export const uniqueUuid = (): string =>
  uniqueId().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
