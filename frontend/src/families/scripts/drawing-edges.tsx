import { cx } from '@/components/cx'

import type { Placed } from './places'

const ARROWS = ['drawing-arrow', 'drawing-arrow-active'] as const

interface EdgesProps {
  map: Placed
  isActive: (id: string) => boolean
}

/** Who reads whom, or comes after whom. What leads to a block at work is coloured. */
export function DrawingEdges({ map, isActive }: Readonly<EdgesProps>) {
  return (
    <>
      <svg
        aria-hidden
        width={map.width}
        height={map.height}
        className="pointer-events-none absolute top-0 left-0 z-10 overflow-visible"
      >
        <defs>
          {ARROWS.map((id) => (
            <marker
              key={id}
              id={id}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              markerUnits="userSpaceOnUse"
              orient="auto-start-reverse"
            >
              <path
                d="M0 0L8 4L0 8z"
                fill={id === 'drawing-arrow' ? 'var(--line-strong)' : 'var(--accent)'}
              />
            </marker>
          ))}
        </defs>
        {map.lines.map(({ id, path, target, isBack }) => (
          <path
            key={id}
            d={path}
            className={cx(
              'drawing-edge',
              isBack && 'drawing-edge-back',
              isActive(target) && 'drawing-edge-active',
            )}
            markerEnd={`url(#${isActive(target) ? 'drawing-arrow-active' : 'drawing-arrow'})`}
          />
        ))}
      </svg>
      <span aria-hidden>
        {map.lines.map(({ id, label, middle }) =>
          label ? (
            <span
              key={id}
              className="absolute z-10 -translate-x-1/2 -translate-y-1/2 rounded-sm bg-surface-0 px-1 text-xs leading-4 whitespace-nowrap text-ink-2"
              style={{ left: middle.x, top: middle.y }}
            >
              {label}
            </span>
          ) : null,
        )}
      </span>
    </>
  )
}
