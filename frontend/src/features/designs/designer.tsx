import { ReactFlowProvider } from '@xyflow/react'
import { useEffect, useState } from 'react'

import { useMe } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'
import { useWide } from '@/lib/use-wide'

import { CheckerContext } from './checker-context'
import { DesignHeader } from './design-header'
import { DesignContext, useDesign } from './design-store'
import { KeyboardSheet } from './keyboard-sheet'
import { PropertiesPanel } from './properties-panel'
import { Leaving, SaveNotices } from './save-notices'
import { SaverContext } from './saver-context'
import { forgetSession, sessionOf } from './sessions'
import { SideBySide } from './side-by-side'
import { Stacked } from './stacked'
import { useClipboard } from './use-clipboard'
import { useDesignCommands } from './use-design-commands'
import { useDesignerKeys } from './use-designer-keys'
import type { Design } from './use-designs'
import { useViews } from './use-views'

/** A design, to be drawn. */
export function Designer({ design }: Readonly<{ design: Design }>) {
  const who = useMe()?.username ?? ''
  const [{ store, saver, checker }] = useState(() => sessionOf(who, design))
  useEffect(() => {
    const stop = saver.start()
    saver.meet(design)
    return stop
  }, [design, saver])
  useEffect(() => checker.start(), [checker])
  return (
    <DesignContext value={store}>
      <SaverContext value={saver}>
        <CheckerContext value={checker}>
          <ReactFlowProvider>
            <Layout id={design.id} onLeave={() => forgetSession(who, design.id)} />
          </ReactFlowProvider>
        </CheckerContext>
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
        <SideBySide readOnly={readOnly}>{panel}</SideBySide>
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
