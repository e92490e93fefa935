import { ReactFlowProvider } from '@xyflow/react'
import { useEffect, useState } from 'react'

import { Tabs } from '@/components/tabs'
import { useMe } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'
import { useWide } from '@/lib/use-wide'

import { DesignCanvas } from './design-canvas'
import { DesignHeader } from './design-header'
import { DesignContext, useDesign } from './design-store'
import { text } from './design-strings'
import { KeyboardSheet } from './keyboard-sheet'
import { PropertiesPanel } from './properties-panel'
import { RolePalette } from './role-palette'
import { Leaving, SaveNotices } from './save-notices'
import { SaverContext } from './saver-context'
import { forgetSession, sessionOf } from './sessions'
import { useClipboard } from './use-clipboard'
import { useDesignCommands } from './use-design-commands'
import { useDesignerKeys } from './use-designer-keys'
import type { Design } from './use-designs'
import { useViews } from './use-views'

/** A design, to be drawn. */
export function Designer({ design }: Readonly<{ design: Design }>) {
  const who = useMe()?.username ?? ''
  const [{ store, saver }] = useState(() => sessionOf(who, design))
  useEffect(() => {
    const stop = saver.start()
    saver.meet(design)
    return stop
  }, [design, saver])
  return (
    <DesignContext value={store}>
      <SaverContext value={saver}>
        <ReactFlowProvider>
          <Layout id={design.id} onLeave={() => forgetSession(who, design.id)} />
        </ReactFlowProvider>
      </SaverContext>
    </DesignContext>
  )
}

function Layout({ id, onLeave }: Readonly<{ id: string; onLeave: () => void }>) {
  const readOnly = !(useMe()?.permissions.run ?? false)
  const wide = useWide()
  useTitle(useDesign((state) => state.history.present.name))
  const [isKeysOpen, setKeysOpen] = useState(false)
  const showKeys = (): void => setKeysOpen(true)
  const views = useViews()
  useDesignerKeys({ readOnly, views, showKeys })
  useClipboard(readOnly)
  const panel = <PropertiesPanel id={id} readOnly={readOnly} />
  return (
    <div className="flex flex-1 flex-col lg:min-h-[38rem] lg:basis-0">
      <DesignHeader id={id} readOnly={readOnly} onKeys={showKeys} />
      <Commands readOnly={readOnly} />
      {isKeysOpen ? <KeyboardSheet readOnly={readOnly} onClose={() => setKeysOpen(false)} /> : null}
      <SaveNotices id={id} readOnly={readOnly} />
      <Leaving onLeave={onLeave} />
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

/** Apart from the page, which is drawn anew only when it must be. */
function Commands({ readOnly }: Readonly<{ readOnly: boolean }>) {
  useDesignCommands(readOnly, useViews())
  return null
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
