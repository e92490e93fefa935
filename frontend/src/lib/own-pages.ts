import { createContext, use } from 'react'

import { ownPage } from './safe-url'

/**
 * Where the studio's own pages came from, by path, for people who cannot open them: those without an account. null:
 * the pages open.
 */
export const OriginsContext = createContext<Readonly<Record<string, string>> | null>(null)

/** What gives the address to follow for one of the studio's own pages; null for all others, and where there is none. */
export function useOwnPage(): (address: string) => string | null {
  const origins = use(OriginsContext)
  return (address) => {
    const own = ownPage(address)
    return own && origins ? (origins[address] ?? null) : own
  }
}
