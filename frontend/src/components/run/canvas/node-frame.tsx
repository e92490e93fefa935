import { Handle, Position, useStore } from '@xyflow/react'
import type { KeyboardEvent, ReactNode } from 'react'

import { cx } from '@/components/cx'

import { useCanvas } from './canvas-context'

/** Below this zoom a card shows its name alone, large. */
const FAR_ZOOM = 0.6

export const useIsFar = (): boolean => useStore((state) => state.transform[2] < FAR_ZOOM)

/** Sizes that stay readable on the screen while the view zooms out, in a few steps. */
const useFarScale = (): number =>
  useStore((state) => Math.min(1.5, Math.ceil((0.55 / state.transform[2]) * 4) / 4))

interface Props {
  id: string
  label: string
  fresh: boolean
  className?: string
  children: ReactNode
  onOpen?: () => void
}

/** The card of a node, all of it one button, reached with Tab, left with the arrow keys. */
export function NodeFrame({ id, label, fresh, className, children, onOpen }: Readonly<Props>) {
  const { selected, tabStop, direction, open, walk } = useCanvas()
  const [input, output] =
    direction === 'right' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom]
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!walk(id, event.key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <Handle type="target" position={input} isConnectable={false} />
      <div
        className={cx(
          'node-card relative flex size-full flex-col overflow-hidden rounded-lg border bg-surface-1 text-left',
          fresh && 'node-enter',
          selected === id ? 'border-accent ring-2 ring-accent' : 'hover:border-line-strong',
          className ?? 'border-line',
        )}
      >
        {/* The button's label tells all of it; read twice it would only be noise. */}
        <div aria-hidden className="contents">
          {children}
        </div>
        <button
          type="button"
          data-node={id}
          aria-label={label}
          aria-pressed={selected === id}
          tabIndex={tabStop === id ? 0 : -1}
          onKeyDown={onKeyDown}
          onClick={onOpen ?? (() => open(id))}
          className="absolute inset-0 cursor-pointer rounded-[inherit] focus-visible:-outline-offset-2"
        />
      </div>
      <Handle type="source" position={output} isConnectable={false} />
    </>
  )
}

/** What a card shows from far away. */
export function FarLabel({
  icon,
  name,
}: Readonly<{ icon: (scale: number) => ReactNode; name: string }>) {
  const scale = useFarScale()
  return (
    <span className="flex size-full flex-col items-center justify-center gap-1.5 px-2 text-center">
      {icon(scale)}
      <span
        className="line-clamp-2 leading-[1.12] font-semibold tracking-tight"
        style={{ fontSize: 22 * scale }}
      >
        {name}
      </span>
    </span>
  )
}
