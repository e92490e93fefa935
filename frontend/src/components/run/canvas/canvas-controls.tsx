import { Maximize, Minus, Network, Plus } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/button'
import { text } from '@/strings/run'
import { Tooltip } from '@/components/tooltip'

import type { Camera } from './use-camera'

interface Props {
  camera: Camera
  onTidy: () => void
  /** What this canvas has besides. */
  children?: ReactNode
}

export function CanvasControls({ camera, onTidy, children }: Readonly<Props>) {
  const step = 1.3
  return (
    <div
      role="toolbar"
      aria-label={text.canvas.label}
      className="absolute right-3 bottom-3 z-10 flex gap-1.5"
    >
      {children}
      <Button size="sm" onPress={onTidy} icon={<Network size={14} aria-hidden />}>
        {text.canvas.tidy}
      </Button>
      <Tooltip content={text.canvas.fit}>
        <Button
          size="sm"
          aria-label={text.canvas.fit}
          onPress={camera.fit}
          icon={<Maximize size={14} aria-hidden />}
        />
      </Tooltip>
      <Tooltip content={text.canvas.zoomOut}>
        <Button
          size="sm"
          aria-label={text.canvas.zoomOut}
          onPress={() => camera.zoomBy(1 / step)}
          icon={<Minus size={14} aria-hidden />}
        />
      </Tooltip>
      <Tooltip content={text.canvas.zoomIn}>
        <Button
          size="sm"
          aria-label={text.canvas.zoomIn}
          onPress={() => camera.zoomBy(step)}
          icon={<Plus size={14} aria-hidden />}
        />
      </Tooltip>
    </div>
  )
}
