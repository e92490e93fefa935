import { ReactFlowProvider } from '@xyflow/react'
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react'

import { Dialog } from '@/components/dialog'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { useMe } from '@/lib/api/queries'
import { isOverPage, isTyping } from '@/lib/is-typing'
import { notify } from '@/lib/toasts'
import { useTitle } from '@/lib/use-title'
import { useWide } from '@/lib/use-wide'
import { text } from '@/strings/designs'

import { CheckerContext } from './checker-context'
import { clipOfText } from './clip-text'
import { pasteClip, pasteKept, removeSelection, takeClip } from './design-actions'
import { DesignCanvas } from './design-canvas'
import { DesignHeader } from './design-header'
import { DesignContext, useDesign, useDesignStore } from './design-store'
import { PropertiesPanel } from './properties-panel'
import { RolePalette } from './role-palette'
import { Leaving, SaveNotices } from './save-notices'
import { SaverContext } from './saver-context'
import { forgetSession, sessionOf } from './sessions'
import { SideBySide } from './side-by-side'
import { useDesignCommands } from './use-design-commands'
import { useDesignerKeys } from './use-designer-keys'
import type { Design } from './use-designs'
import { useViews } from './use-views'

/** Fetched with the first script: most designs are drawn. */
const ScriptDesigner = lazy(async () => {
  const { ScriptDesigner: found } = await import('./script-designer')
  return { default: found }
})

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
  const script = useDesign((state) => state.history.present.spec.script)
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
      {script !== null ? (
        <Suspense fallback={<WorkingBlock />}>
          <ScriptDesigner script={script} readOnly={readOnly} wide={wide}>
            {panel}
          </ScriptDesigner>
        </Suspense>
      ) : wide ? (
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

const words = text.keys

interface Props {
  readOnly: boolean
  onClose: () => void
}

function KeyboardSheet({ readOnly, onClose }: Readonly<Props>) {
  const groups = words.groups.filter(({ edits }) => !edits || !readOnly)
  return (
    <Dialog isOpen wide title={words.title} onClose={onClose}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {groups.map(({ title, keys }) => (
          <section key={title} className="flex flex-col gap-1.5">
            <h3 className="text-sm font-semibold">{title}</h3>
            <dl className="flex flex-col gap-1">
              {keys.map(([key, does]) => (
                <div key={key} className="flex items-baseline gap-3">
                  <dt className="w-28 shrink-0">
                    <kbd className="rounded-md border border-line bg-surface-2 px-1.5 py-0.5 text-xs whitespace-nowrap">
                      {key}
                    </kbd>
                  </dt>
                  <dd className="min-w-0 text-ink-2">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

const TYPE = 'text/plain'

/** Whether the clipboard is meant for the drawing: not with the focus in a text, nor with text marked. */
const isForDrawing = (event: ClipboardEvent): boolean =>
  !event.defaultPrevented &&
  !isTyping(event.target) &&
  !isOverPage(event.target) &&
  (getSelection()?.isCollapsed ?? true)

/** Copy, cut and paste by the browser's own events, which need nobody's permission: agents go to other
 * tabs, and survive a reload. */
function useClipboard(readOnly: boolean): void {
  const store = useDesignStore()
  useEffect(() => {
    const copy = (event: ClipboardEvent): void => {
      const clip = isForDrawing(event) ? takeClip(store) : null
      if (clip === null) return
      event.clipboardData?.setData(TYPE, clip)
      event.preventDefault()
      if (event.type === 'cut' && !readOnly) removeSelection(store)
    }
    const paste = (event: ClipboardEvent): void => {
      if (readOnly || !isForDrawing(event)) return
      event.preventDefault()
      const read = clipOfText(event.clipboardData?.getData(TYPE) ?? '')
      if (read.kind === 'clip') pasteClip(store, read.clip)
      else if (read.kind === 'broken') notify(text.clip.broken)
      else pasteKept(store)
    }
    document.addEventListener('copy', copy)
    document.addEventListener('cut', copy)
    document.addEventListener('paste', paste)
    return () => {
      document.removeEventListener('copy', copy)
      document.removeEventListener('cut', copy)
      document.removeEventListener('paste', paste)
    }
  }, [readOnly, store])
}

/** On a phone: the canvas on top, the roles and the properties as tabs under it. */
function Stacked({ readOnly, children }: Readonly<{ readOnly: boolean; children: ReactNode }>) {
  const isChosen = useDesign(({ selection }) => selection.agents.size + selection.edges.size > 0)
  const [tab, setTab] = useState('panel')
  const frame = useRef<HTMLDivElement>(null)
  /** The list of roles is longer than the screen: whoever adds one there is shown what came of it. */
  const showAgent = (id: string): void => {
    setTab('panel')
    // Once the card is drawn; the role that was pressed is gone with its tab, so the focus goes there.
    requestAnimationFrame(() => {
      frame.current?.scrollIntoView({ block: 'nearest' })
      frame.current
        ?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
        ?.focus({ preventScroll: true })
    })
  }
  return (
    <div className="flex flex-1 flex-col gap-3 px-4 py-3">
      <div ref={frame} className="h-[52dvh] min-h-72 overflow-hidden rounded-lg border border-line">
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
              : [
                  {
                    key: 'roles',
                    label: text.palette.title,
                    content: <RolePalette onAdded={showAgent} />,
                  },
                ]),
          ]}
        />
      </div>
    </div>
  )
}
