import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

import { strings } from '@/strings/studio'

import { Button } from './button'
import { Notice } from './notice'
import { WorkingBlock } from './working'

/** Between tries while the server is away: 1 s, 2 s, 4 s, 8 s. */
const FIRST_WAIT_MS = 1_000
const TRIES = 5

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
      let timer: ReturnType<typeof setTimeout> | undefined
      const attempt = (number: number): void => {
        fetch().then(
          () => {
            if (!gone) setState('found')
          },
          () => {
            if (gone) return
            if (number >= TRIES) setState('failed')
            else timer = setTimeout(() => attempt(number + 1), FIRST_WAIT_MS * 2 ** (number - 1))
          },
        )
      }
      attempt(1)
      return () => {
        gone = true
        clearTimeout(timer)
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
