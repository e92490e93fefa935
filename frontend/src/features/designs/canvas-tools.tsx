import { Maximize, Minus, Network, Plus, Redo2, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/button'
import { Tooltip } from '@/components/tooltip'

import { useDesign, useDesignStore } from './design-store'
import { text } from '@/strings/designs'
import { useViews } from './use-views'

const ICON = { size: 14, 'aria-hidden': true } as const

export function CanvasTools({ readOnly }: Readonly<{ readOnly: boolean }>) {
  const canUndo = useDesign(({ history }) => history.past.length > 0)
  const canRedo = useDesign(({ history }) => history.future.length > 0)
  const { undo, redo } = useDesignStore().getState()
  const { fit, tidy, zoomIn, zoomOut } = useViews()
  const words = text.tools
  return (
    <div
      role="toolbar"
      aria-label={words.label}
      className="absolute right-3 bottom-3 z-10 flex flex-wrap justify-end gap-1.5"
    >
      {readOnly ? null : (
        <>
          <Tool
            label={words.undo}
            isDisabled={!canUndo}
            onPress={undo}
            icon={<Undo2 {...ICON} />}
          />
          <Tool
            label={words.redo}
            isDisabled={!canRedo}
            onPress={redo}
            icon={<Redo2 {...ICON} />}
          />
          <Button size="sm" icon={<Network {...ICON} />} onPress={tidy}>
            {words.tidy}
          </Button>
        </>
      )}
      <Tool label={words.fit} onPress={fit} icon={<Maximize {...ICON} />} />
      <Tool label={words.zoomOut} onPress={zoomOut} icon={<Minus {...ICON} />} />
      <Tool label={words.zoomIn} onPress={zoomIn} icon={<Plus {...ICON} />} />
    </div>
  )
}

interface ToolProps {
  label: string
  icon: ReactNode
  onPress: () => void
  isDisabled?: boolean
}

function Tool({ label, icon, onPress, isDisabled = false }: Readonly<ToolProps>) {
  return (
    <Tooltip content={label}>
      <Button size="sm" aria-label={label} isDisabled={isDisabled} onPress={onPress} icon={icon} />
    </Tooltip>
  )
}
