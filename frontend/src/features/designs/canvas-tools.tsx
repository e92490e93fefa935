import { useReactFlow } from '@xyflow/react'
import { Maximize, Minus, Network, Plus, Redo2, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/button'
import { Tooltip } from '@/components/tooltip'
import { useReducedMotion } from '@/lib/use-wide'

import { useDesign, useDesignStore } from './design-store'
import { text } from './design-strings'
import { tidyUp } from './edits'
import { useDesignCommands } from './use-design-commands'

const MOVE_MS = 250
const ICON = { size: 14, 'aria-hidden': true } as const
const STEP = 1.3

export function CanvasTools({ readOnly }: Readonly<{ readOnly: boolean }>) {
  const flow = useReactFlow()
  const duration = useReducedMotion() ? 0 : MOVE_MS
  const canUndo = useDesign(({ history }) => history.past.length > 0)
  const canRedo = useDesign(({ history }) => history.future.length > 0)
  const { edit, undo, redo } = useDesignStore().getState()
  const fit = () => void flow.fitView({ maxZoom: 1, padding: 0.15, duration })
  const words = text.tools
  const tidy = (): void => {
    edit(tidyUp)
    requestAnimationFrame(fit)
  }
  useDesignCommands(readOnly, { tidy, fit })
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
      <Tool
        label={words.zoomOut}
        onPress={() => void flow.zoomTo(flow.getZoom() / STEP, { duration: duration / 2 })}
        icon={<Minus {...ICON} />}
      />
      <Tool
        label={words.zoomIn}
        onPress={() => void flow.zoomTo(flow.getZoom() * STEP, { duration: duration / 2 })}
        icon={<Plus {...ICON} />}
      />
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
