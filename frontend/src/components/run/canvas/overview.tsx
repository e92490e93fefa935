import { MiniMap, useStore } from '@xyflow/react'

import type { LayoutOptions, Positions } from '@/graph/layout'

import { boundsOf } from './use-camera'

const FROM = 13

interface Props {
  visible: readonly string[]
  positions: Positions
  layout: LayoutOptions
  /** What it paints a node with. */
  colorOf: (id: string) => string
}

/** A small map of a large graph. It lies over cards, so it goes where all of them are in view. */
export function Overview({ visible, positions, layout, colorOf }: Readonly<Props>) {
  const bounds = visible.length < FROM ? null : boundsOf(visible, positions, layout)
  const isPartHidden = useStore(({ transform: [left, top, zoom], width, height }) => {
    if (!bounds) return false
    const [x, y] = [bounds.x * zoom + left, bounds.y * zoom + top]
    return x < 0 || y < 0 || x + bounds.width * zoom > width || y + bounds.height * zoom > height
  })
  if (!isPartHidden) return null
  return (
    <MiniMap
      pannable
      ariaLabel={null}
      position="bottom-left"
      style={{ width: 150, height: 104 }}
      nodeColor={({ id }) => colorOf(id)}
    />
  )
}
