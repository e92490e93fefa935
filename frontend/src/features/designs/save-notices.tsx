import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useBlocker } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { Refusal } from '@/components/query-state'
import { toApiError } from '@/lib/api/errors'

import { diffOf } from './design-diff'
import { useSpec } from './design-store'
import { text } from '@/strings/designs'

import { DiffView } from './diff-view'
import { isStuck } from './save-state'
import { useSaver, useSaverStore } from './saver-context'
import { useCopyDesign } from './use-copy-design'
import { readDesign } from './use-designs'

/** What keeps the design from being saved, with the way out of it. */
export function SaveNotices({ id, readOnly }: Readonly<{ id: string; readOnly: boolean }>) {
  const state = useSaver((saver) => saver.state)
  if (state === 'conflict') return <Conflict id={id} />
  if (state === 'gone') return <Gone readOnly={readOnly} />
  if (state === 'loggedOut') return <LoggedOut />
  return null
}

function Alert({ title, children }: Readonly<{ title: string; children: ReactNode }>) {
  return (
    <div className="px-4 py-3 sm:px-6" role="alert">
      <Notice tone="warn" title={title}>
        {children}
      </Notice>
    </div>
  )
}

/** Somebody else saved first. Both states are safe; a person decides which one to go on with. */
function Conflict({ id }: Readonly<{ id: string }>) {
  const saver = useSaverStore()
  const error = useSaver((state) => state.error)
  const theirs = useMutation({
    mutationFn: () => readDesign(id),
    onSuccess: (design) => saver.adopt(design),
  })
  const mine = useCopyDesign(text.conflict.copyName)
  const compare = useMutation({ mutationFn: () => readDesign(id) })
  const spec = useSpec()
  const problem = theirs.error ?? mine.error ?? compare.error
  return (
    <Alert title={text.conflict.title}>
      {error ? <p>{error.message}</p> : null}
      <p>{text.conflict.body}</p>
      <div className="flex flex-wrap gap-2 pt-2">
        <Button size="sm" isPending={theirs.isPending} onPress={() => theirs.mutate()}>
          {text.conflict.theirs}
        </Button>
        <Button size="sm" isPending={mine.isPending} onPress={() => mine.mutate()}>
          {text.conflict.mine}
        </Button>
        <Button size="sm" isPending={compare.isPending} onPress={() => compare.mutate()}>
          {text.conflict.compare}
        </Button>
      </div>
      {compare.data ? (
        <div className="max-h-64 overflow-auto pt-2">
          <DiffView
            diff={diffOf(compare.data.draft, spec)}
            before={compare.data.draft}
            after={spec}
          />
        </div>
      ) : null}
      {problem ? <ErrorPanel problem={toApiError(problem)} /> : null}
    </Alert>
  )
}

function Gone({ readOnly }: Readonly<{ readOnly: boolean }>) {
  const mine = useCopyDesign((name) => name)
  return (
    <Alert title={text.gone.title}>
      <p>{text.gone.body}</p>
      {readOnly ? null : (
        <div className="pt-2">
          <Button size="sm" isPending={mine.isPending} onPress={() => mine.mutate()}>
            {text.conflict.mine}
          </Button>
        </div>
      )}
      <Refusal of={mine} />
    </Alert>
  )
}

function LoggedOut() {
  const saver = useSaverStore()
  return (
    <Alert title={text.loggedOut.title}>
      <p>{text.loggedOut.body}</p>
      <div className="flex flex-wrap gap-2 pt-2">
        {/* Another tab: this one holds what is not saved. */}
        <a
          href="/login?next=/designs"
          target="_blank"
          rel="noreferrer"
          className={buttonClass({ variant: 'primary', size: 'sm', square: false })}
        >
          {text.loggedOut.logIn}
        </a>
        <Button size="sm" onPress={() => void saver.look()}>
          {text.loggedOut.retry}
        </Button>
      </div>
    </Alert>
  )
}

/** Asks before what the server does not have is left behind. */
export function Leaving({ onLeave }: Readonly<{ onLeave: () => void }>) {
  const saver = useSaverStore()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isStuck(saver.getState().state) &&
      saver.isUnsaved() &&
      currentLocation.pathname !== nextLocation.pathname,
  )
  if (blocker.state !== 'blocked') return null
  const { state, error } = saver.getState()
  return (
    <Dialog
      isOpen
      title={text.leaving.title}
      onClose={() => blocker.reset()}
      footer={
        <>
          <Button onPress={() => blocker.reset()}>{text.leaving.stay}</Button>
          <Button
            variant="danger"
            onPress={() => {
              onLeave()
              blocker.proceed()
            }}
          >
            {text.leaving.leave}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{text.leaving.body}</p>
        {state === 'conflict' ? <p>{text.leaving.conflict}</p> : null}
        {error && state !== 'conflict' ? <ErrorPanel problem={error} /> : null}
      </div>
    </Dialog>
  )
}
