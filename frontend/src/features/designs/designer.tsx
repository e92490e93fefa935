import { useMutation } from '@tanstack/react-query'
import { ReactFlowProvider } from '@xyflow/react'
import { useEffect, useState } from 'react'
import { useBlocker, useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { Tabs } from '@/components/tabs'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'
import { useWide } from '@/lib/use-wide'

import { DesignCanvas } from './design-canvas'
import { diffOf } from './design-diff'
import { DesignHeader } from './design-header'
import {
  createDesignStore,
  DesignContext,
  useDesign,
  useDesignStore,
  useSpec,
} from './design-store'
import { text } from './design-strings'
import { DiffView } from './diff-view'
import { PropertiesPanel } from './properties-panel'
import { RolePalette } from './role-palette'
import { createSaver, isStuck } from './saver'
import { SaverContext, useSaver, useSaverStore } from './saver-context'
import { useDesignerKeys } from './use-designer-keys'
import { createDesign, readDesign, saveDesign, type Design } from './use-designs'

/** A design, to be drawn. */
export function Designer({ design }: Readonly<{ design: Design }>) {
  const [store] = useState(() => createDesignStore(design.name, design.draft))
  const [saver] = useState(() => createSaver(design, store, (body) => saveDesign(design.id, body)))
  useEffect(() => saver.start(), [saver])
  return (
    <DesignContext value={store}>
      <SaverContext value={saver}>
        <ReactFlowProvider>
          <Layout id={design.id} />
        </ReactFlowProvider>
      </SaverContext>
    </DesignContext>
  )
}

function Layout({ id }: Readonly<{ id: string }>) {
  const readOnly = !(useMe()?.permissions.run ?? false)
  const wide = useWide()
  useTitle(useDesign((state) => state.history.present.name))
  useDesignerKeys(readOnly)
  const panel = <PropertiesPanel id={id} readOnly={readOnly} />
  return (
    <div className="flex flex-1 flex-col lg:min-h-[38rem] lg:basis-0">
      <DesignHeader id={id} readOnly={readOnly} />
      <Conflict id={id} />
      <Leaving />
      {wide ? (
        <div className="flex min-h-0 flex-1">
          {readOnly ? null : (
            <aside className="w-60 shrink-0 border-r border-line bg-surface-1">
              <RolePalette />
            </aside>
          )}
          <div className="min-w-0 flex-1">
            <DesignCanvas readOnly={readOnly} />
          </div>
          <aside
            aria-label={text.panel.label}
            className="w-80 shrink-0 overflow-auto border-l border-line bg-surface-1 xl:w-[22rem]"
          >
            {panel}
          </aside>
        </div>
      ) : (
        <Stacked readOnly={readOnly}>{panel}</Stacked>
      )}
    </div>
  )
}

interface StackedProps {
  readOnly: boolean
  children: React.ReactNode
}

/** On a phone: the canvas on top, the roles and the properties as tabs under it. */
function Stacked({ readOnly, children }: Readonly<StackedProps>) {
  const isChosen = useDesign(({ selection }) => selection.agents.size + selection.edges.size > 0)
  const [tab, setTab] = useState('panel')
  return (
    <div className="flex flex-1 flex-col gap-3 px-4 py-3">
      <div className="h-[52dvh] min-h-72 overflow-hidden rounded-lg border border-line">
        <DesignCanvas readOnly={readOnly} />
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
        <Tabs
          label={text.panel.label}
          selected={tab}
          onSelect={setTab}
          items={[
            {
              key: 'panel',
              label: isChosen ? text.panel.agent : text.panel.design,
              content: children,
            },
            ...(readOnly
              ? []
              : [{ key: 'roles', label: text.palette.title, content: <RolePalette /> }]),
          ]}
        />
      </div>
    </div>
  )
}

/** Asks before what the server does not have is left behind. */
function Leaving() {
  const saver = useSaverStore()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isStuck(saver.getState().state) && currentLocation.pathname !== nextLocation.pathname,
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
          <Button variant="danger" onPress={() => blocker.proceed()}>
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

/** Somebody else saved first. Both states are safe; a person decides which one to go on with. */
function Conflict({ id }: Readonly<{ id: string }>) {
  const saver = useSaverStore()
  const store = useDesignStore()
  const navigate = useNavigate()
  const error = useSaver((state) => (state.state === 'conflict' ? state.error : null))
  const theirs = useMutation({
    mutationFn: () => readDesign(id),
    onSuccess: (design) => saver.adopt(design),
  })
  const mine = useMutation({
    mutationFn: () => {
      const { name, spec: draft } = store.getState().history.present
      return createDesign({ name: text.conflict.copyName(name), draft: { ...draft } })
    },
    onSuccess: async (design) => {
      saver.setState({ state: 'saved', error: null })
      await navigate(`/designs/${design.id}`)
    },
  })
  const compare = useMutation({ mutationFn: () => readDesign(id) })
  const spec = useSpec()
  if (!error) return null
  const problem = theirs.error ?? mine.error ?? compare.error
  return (
    <div className="px-4 pt-3 sm:px-6" role="alert">
      <Notice tone="warn" title={text.conflict.title}>
        <p>{error.message}</p>
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
      </Notice>
    </div>
  )
}
