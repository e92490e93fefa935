import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

import { strings } from '@/strings/studio'

import { Button } from './button'
import { Notice } from './notice'
import { WorkingBlock } from './working'

/** Between tries while the server is away: 1 s, 2 s, 4 s, 8 s. */
const FIRST_WAIT_MS = 1_000
const TRIES = 5

/** What `load` gives, asked for again while the server is away. `isGone`: it is no longer awaited. */
export async function fetched<T>(load: () => Promise<T>, isGone = () => false): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load()
    } catch (error) {
      if (tries >= TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** (tries - 1)))
      if (isGone()) throw error
    }
  }
}

export type Later<P extends object> = ComponentType<P> & {
  /** Fetches it before it is needed; a failure tells nobody, since there is time to try again. */
  readonly prepare: () => Promise<void>
}

interface Instead<P> {
  readonly waiting?: (props: P) => ReactNode
  readonly failed?: (props: P) => ReactNode
}

/** A part that is fetched when it is first shown. The network may be away just then, or the server
 * have newer pages than this one: the part says so, and the page around it stays. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { waiting = () => <WorkingBlock />, failed = () => <NotFetched /> }: Instead<P> = {},
): Later<P> {
  let found: ComponentType<P> | null = null
  const fetch = async (): Promise<void> => {
    found ??= await load()
  }

  function Part(props: P) {
    const [state, setState] = useState<'waiting' | 'found' | 'failed'>(found ? 'found' : 'waiting')
    useEffect(() => {
      if (state !== 'waiting') return undefined
      let gone = false
      const shows = (next: 'found' | 'failed') => () => {
        if (!gone) setState(next)
      }
      fetched(fetch, () => gone).then(shows('found'), shows('failed'))
      return () => {
        gone = true
      }
    }, [state])
    if (state === 'failed') return failed(props)
    const Found = found
    return Found ? <Found {...props} /> : waiting(props)
  }

  return Object.assign(Part, { prepare: () => fetch().catch(() => undefined) })
}

/** A browser may remember that a file could not be fetched, so only a new page asks for it again. */
function NotFetched() {
  return (
    <div role="alert" className="m-2">
      <Notice tone="warn" title={strings.errors.partMissing}>
        <Button size="sm" onPress={() => globalThis.location.reload()}>
          {strings.errors.reload}
        </Button>
      </Notice>
    </div>
  )
}
