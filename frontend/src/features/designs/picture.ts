/** A design as an SVG picture: what the canvas shows, without the studio around it. */
import { getBezierPath, Position } from '@xyflow/react'

import { shortText } from '@/graph/text'

import { backPath, leadsBack } from './edge-path'
import { cardSize, placeAll, type DesignAgent, type DesignSpec } from './edits'

const MARGIN = 32
const NAME_CHARS = 24
const LINE_CHARS = 34
const LINES = 3
const LINE_HEIGHT = 16
const INK = { name: '#1a1e26', text: '#4a5160', line: '#8a92a3', card: '#ffffff', page: '#f7f8fa' }

export interface Picture {
  readonly svg: string
  readonly width: number
  readonly height: number
}

/** `colorOf` gives a family's colour in a form that every program reads, such as `#3b5bdb`. */
export function pictureOf(
  design: DesignSpec,
  colorOf: (family: string) => string,
  unnamed: string,
): Picture {
  const placed = placeAll(design)
  const xs = placed.agents.map(({ x }) => x ?? 0)
  const ys = placed.agents.map(({ y }) => y ?? 0)
  const origin = { x: least(xs), y: least(ys) }
  const width = Math.max(0, ...xs.map((x) => x - origin.x + cardSize.width)) + 2 * MARGIN
  const height = Math.max(0, ...ys.map((y) => y - origin.y + cardSize.height)) + 2 * MARGIN
  const agents = new Map(placed.agents.map((agent) => [agent.id, agent]))
  const edges = placed.edges.flatMap(({ source, target }) => {
    const [from, to] = [agents.get(source), agents.get(target)]
    return from && to ? [edgePath(from, to)] : []
  })
  const body = [
    ...edges.map(
      (path) =>
        `<path d="${path}" fill="none" stroke="${INK.line}" stroke-width="1.5" marker-end="url(#arrow)"/>`,
    ),
    ...placed.agents.map((agent) => card(agent, colorOf(agent.role.family), unnamed)),
  ]
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, system-ui, sans-serif">`,
    `<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0,0L10,5L0,10z" fill="${INK.line}"/></marker></defs>`,
    `<rect width="100%" height="100%" fill="${INK.page}"/>`,
    `<g transform="translate(${MARGIN - origin.x} ${MARGIN - origin.y})">`,
    ...body,
    '</g></svg>',
  ].join('\n')
  return { svg, width, height }
}

const least = (values: readonly number[]): number => (values.length > 0 ? Math.min(...values) : 0)

function edgePath(from: DesignAgent, to: DesignAgent): string {
  const source = { x: (from.x ?? 0) + cardSize.width, y: (from.y ?? 0) + cardSize.height / 2 }
  const target = { x: to.x ?? 0, y: (to.y ?? 0) + cardSize.height / 2 }
  if (leadsBack(source, target)) return backPath(source, target, cardSize.height)
  return getBezierPath({
    sourceX: source.x,
    sourceY: source.y,
    targetX: target.x,
    targetY: target.y,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
  })[0]
}

function card({ x, y, role }: DesignAgent, color: string, unnamed: string): string {
  const { width, height } = cardSize
  const lines = linesOf(shortText(role.prompt, LINE_CHARS * LINES))
  const told = lines.map(
    (line, index) =>
      `<text x="14" y="${52 + index * LINE_HEIGHT}" font-size="12" fill="${INK.text}">${escaped(line)}</text>`,
  )
  return [
    `<g transform="translate(${x ?? 0} ${y ?? 0})">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${INK.card}" stroke="${INK.line}" stroke-opacity="0.6"/>`,
    `<rect x="8" width="${width - 16}" height="3" fill="${color}"/>`,
    `<circle cx="21" cy="25" r="6" fill="${color}"/>`,
    `<text x="34" y="30" font-size="14" font-weight="600" fill="${INK.name}">${escaped(cut(role.name.trim() || unnamed, NAME_CHARS))}</text>`,
    ...told,
    '</g>',
  ].join('\n')
}

/** SVG breaks no lines by itself. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= LINE_CHARS)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(cut(word, LINE_CHARS))
  }
  return lines.slice(0, LINES)
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

/** What a model or a person wrote is text in the file, never a part of it. */
const escaped = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- characters that XML forbids even escaped
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
