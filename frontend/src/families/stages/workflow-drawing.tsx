import { LogOut } from 'lucide-react'

import { FAMILY_ICONS } from '@/components/family-mark'
import { useAgents } from '@/components/run/use-agents'
import type { LayerSampled } from '@/generated/events'
import { familyOf } from '@/lib/families'

import { chosenIn, EXIT } from './stages'
import { useFamilyOfRole } from './use-stages'

const WIDTH = 128
const HEIGHT = 92
const LARGEST = 20
const BETWEEN = 3

/** Who is in which layer, as a picture: its sentence stands elsewhere. Agents that do not run are dashed. */
export function WorkflowDrawing({ layers }: Readonly<{ layers: readonly LayerSampled[] }>) {
  const agents = useAgents()
  const familyOfRole = useFamilyOfRole()
  const columns = layers.map((layer, column) => {
    const chosen = chosenIn(layer, agents)
    return chosen.map(({ candidate, agentId }, row) => ({
      x: ((column + 0.5) * WIDTH) / layers.length,
      y: ((row + 0.5) * HEIGHT) / chosen.length,
      role: candidate.role,
      agent: agentId === null ? null : agents.get(agentId),
    }))
  })
  const most = Math.max(1, ...columns.map((column) => column.length))
  const size = Math.min(LARGEST, HEIGHT / most - BETWEEN)
  const running = columns.map((column) => column.filter(({ agent }) => agent)).filter((c) => c[0])
  return (
    <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-16 lg:h-23">
      {running
        .slice(1)
        .flatMap((column, index) =>
          column.flatMap((to) =>
            (running[index] ?? []).map((from) => (
              <line
                key={`${from.x} ${from.y} ${to.x} ${to.y}`}
                x1={from.x + size / 2}
                y1={from.y}
                x2={to.x - size / 2}
                y2={to.y}
                stroke="var(--line-strong)"
              />
            )),
          ),
        )}
      {columns.flat().map(({ x, y, role, agent }) => {
        const family = familyOf(familyOfRole(role))
        const Icon = role === EXIT ? LogOut : FAMILY_ICONS[family.key]
        const isActive = agent?.status === 'active'
        const [left, top, inner] = [x - size / 2, y - size / 2, size * 0.62]
        return (
          <g key={`${x} ${y}`} color={family.color}>
            <rect
              x={left}
              y={top}
              width={size}
              height={size}
              rx={size / 4}
              fill={agent ? family.soft : 'var(--surface-1)'}
              stroke={isActive ? 'var(--accent)' : family.line}
              strokeWidth={isActive ? 2 : 1}
              strokeDasharray={agent ? undefined : '2 2'}
            />
            <Icon x={x - inner / 2} y={y - inner / 2} size={inner} />
          </g>
        )
      })}
    </svg>
  )
}
