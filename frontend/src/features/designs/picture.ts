/** A design as an SVG picture: what the canvas shows, without the studio around it. */
import { getBezierPath, Position } from '@xyflow/react'

import type { Point } from '@/graph/layout'
import { shortText } from '@/graph/text'

import { backPath, leadsBack } from './edge-path'
import { cardSize, placeAll, type DesignAgent, type DesignSpec } from './edits'
import { ghostOf, type Ghost } from './ghost'
import { asksPerson, ownTools } from './roles'

const MARGIN = 32
const NAME_CHARS = 24
const LINE_CHARS = 34
const LINES = 3
const LINE_HEIGHT = 16
const INK = {
  name: '#1a1e26',
  text: '#4a5160',
  mark: '#6a7283',
  line: '#8a92a3',
  card: '#ffffff',
  page: '#f7f8fa',
}

export interface Picture {
  readonly svg: string
  readonly width: number
  readonly height: number
}

/** What is written on a picture beside what people wrote. */
export interface PictureWords {
  readonly unnamed: string
  readonly answers: string
  readonly asks: string
  readonly tools: (names: string) => string
  readonly endpoint: (key: string) => string
  readonly votes: string
  readonly temperature: (value: number) => string
  readonly ghosts: Readonly<Record<Ghost['kind'], Readonly<{ name: string; body: string }>>>
}

/** `colorOf` gives a family's colour in a form that every program reads, such as `#3b5bdb`. */
export function pictureOf(
  design: DesignSpec,
  colorOf: (family: string) => string,
  words: PictureWords,
): Picture {
  const placed = placeAll(design)
  const agents = new Map(placed.agents.map((agent) => [agent.id, cornerOf(agent)]))
  const behind = ghostOf(placed)
  const corners = [...agents.values(), ...(behind ? [behind.place] : [])]
  const origin = { x: least(corners.map(({ x }) => x)), y: least(corners.map(({ y }) => y)) }
  const width = Math.max(0, ...corners.map(({ x }) => x - origin.x + cardSize.width)) + 2 * MARGIN
  const height = Math.max(0, ...corners.map(({ y }) => y - origin.y + cardSize.height)) + 2 * MARGIN
  const body = [
    ...placed.edges.flatMap(({ source, target }) => {
      const [from, to] = [agents.get(source), agents.get(target)]
      return from && to ? [edge(from, to)] : []
    }),
    ...(behind?.reads ?? []).flatMap((id) => {
      const from = agents.get(id)
      return from && behind ? [edge(from, behind.place, GHOSTLY)] : []
    }),
    ...placed.agents.map((agent) =>
      card(agent, colorOf(agent.role.family), {
        name: agent.role.name.trim() || words.unnamed,
        marks: marksOf(agent, placed, words),
      }),
    ),
    ...(behind ? [ghost(behind, words)] : []),
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

const cornerOf = ({ x, y }: DesignAgent): Point => ({ x: x ?? 0, y: y ?? 0 })

/** What nobody put there is drawn with. */
const GHOSTLY = ' stroke-dasharray="3 5"'

const edge = (from: Point, to: Point, more = ''): string =>
  `<path d="${edgePath(from, to)}" fill="none" stroke="${INK.line}" stroke-width="1.5"${more} marker-end="url(#arrow)"/>`

function edgePath(from: Point, to: Point): string {
  const source = { x: from.x + cardSize.width, y: from.y + cardSize.height / 2 }
  const target = { x: to.x, y: to.y + cardSize.height / 2 }
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

/** What it uses on one line; whether it answers, who is asked and where on another. */
function marksOf(agent: DesignAgent, design: DesignSpec, words: PictureWords): string[] {
  const tools = ownTools(agent.role).join(', ')
  const rest = [
    design.vote.includes(agent.id) ? words.votes : '',
    design.answer_from === agent.id ? words.answers : '',
    asksPerson(agent.role) ? words.asks : '',
    agent.endpoint === null ? '' : words.endpoint(agent.endpoint),
    agent.temperature > 0 ? words.temperature(agent.temperature) : '',
  ]
  return [tools && words.tools(tools), rest.filter(Boolean).join(' · ')].filter(Boolean)
}

function card(
  agent: DesignAgent,
  color: string,
  { name, marks }: Readonly<{ name: string; marks: readonly string[] }>,
): string {
  const { width, height } = cardSize
  const { x, y } = cornerOf(agent)
  const told = linesOf(shortText(agent.role.prompt, LINE_CHARS * LINES)).slice(
    0,
    LINES - Math.max(0, marks.length - 1),
  )
  return [
    `<g transform="translate(${x} ${y})">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${INK.card}" stroke="${INK.line}" stroke-opacity="0.6"/>`,
    `<rect x="8" width="${width - 16}" height="3" fill="${color}"/>`,
    `<circle cx="21" cy="25" r="6" fill="${color}"/>`,
    `<text x="34" y="30" font-size="14" font-weight="600" fill="${INK.name}">${escaped(cut(name, NAME_CHARS))}</text>`,
    ...told.map((line, index) => written(line, 52 + index * LINE_HEIGHT, INK.text)),
    ...marks.map((mark, index) =>
      written(
        cut(mark, LINE_CHARS),
        height - 12 - (marks.length - 1 - index) * LINE_HEIGHT,
        INK.mark,
      ),
    ),
    '</g>',
  ].join('\n')
}

const written = (line: string, y: number, ink: string): string =>
  `<text x="14" y="${y}" font-size="12" fill="${ink}">${escaped(line)}</text>`

function ghost({ kind, place: { x, y } }: Ghost, { ghosts }: PictureWords): string {
  const { name, body } = ghosts[kind]
  const { width, height } = cardSize
  const middle = `x="${width / 2}" text-anchor="middle" fill="${INK.text}"`
  return [
    `<g transform="translate(${x} ${y})">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${INK.page}" stroke="${INK.line}" stroke-width="1.5"${GHOSTLY}/>`,
    `<text y="60" font-size="14" font-weight="600" ${middle}>${escaped(name)}</text>`,
    `<text y="80" font-size="12" ${middle}>${escaped(body)}</text>`,
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
    // oxlint-disable-next-line no-control-regex -- characters that XML forbids even escaped
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
