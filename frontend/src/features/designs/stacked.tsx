import { useRef, useState, type ReactNode } from 'react'

import { Tabs } from '@/components/tabs'

import { DesignCanvas } from './design-canvas'
import { useDesign } from './design-store'
import { text } from '@/strings/designs'
import { RolePalette } from './role-palette'

interface Props {
  readOnly: boolean
  children: ReactNode
}

/** On a phone: the canvas on top, the roles and the properties as tabs under it. */
export function Stacked({ readOnly, children }: Readonly<Props>) {
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
