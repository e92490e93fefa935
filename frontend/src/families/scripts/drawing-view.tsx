import { Maximize2, Minimize2 } from 'lucide-react'
import { useMemo, useState } from 'react'

import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { ScrollRegion } from '@/components/scroll-region'
import { useRoving } from '@/lib/use-roving'
import { useBox, type BoxSize } from '@/lib/use-size'

import { CardBox, EndBox, FrameBox } from './block-box'
import { headOf, nameOfBlock, standing } from './block-look'
import { DYNAMIC, heldBy, type BlockView } from './blocks'
import { DrawingEdges } from './drawing-edges'
import { ANSWER, placed, QUESTION, type Flow, type Placed } from './places'
import type { Drawing, DrawnBlock } from './scripts'
import './scripts.css'
import { text } from './words'

const { drawing: words } = text
const MARGIN = 14
/** Smaller could not be read: then it scrolls. */
const LEAST = 0.75
/** As large as what scrolls anyway. */
const COMFORTABLE = 0.9

interface Props {
  drawing: Drawing
  /** How the blocks stand, where the script runs. */
  blocks?: ReadonlyMap<string, BlockView>
  chosen?: ReadonlySet<string>
  onBlock?: (id: string) => void
  isOver?: boolean
  className?: string
}

const NOBODY: ReadonlySet<string> = new Set()
const NOTHING: ReadonlyMap<string, BlockView> = new Map()

/** The team that a script means. It takes the direction in which it is larger. */
export function DrawingView(props: Readonly<Props>) {
  const { drawing, blocks = NOTHING, chosen = NOBODY, onBlock, isOver = false, className } = props
  const [frame, size] = useBox()
  const [seesAll, setSeesAll] = useState(false)
  const ways = useMemo(() => fitting(drawing, size), [drawing, size])
  const { map, scale } = seesAll ? ways.whole : ways.readable
  const roving = useRoving('down')
  const drawn = useMemo(() => new Map(drawing.blocks.map((each) => [each.id, each])), [drawing])
  const isActive = (id: string): boolean => blocks.get(id)?.status === 'active'
  return (
    <div ref={frame} className={cx('relative min-h-0', className)}>
      <ScrollRegion
        label={words.label}
        className="flex size-full overflow-auto bg-surface-0 focus-visible:-outline-offset-2"
      >
        <p className="sr-only">{words.help}</p>
        <div
          className="relative m-auto shrink-0"
          style={{
            width: (map.width + 2 * MARGIN) * scale,
            height: (map.height + 2 * MARGIN) * scale,
          }}
        >
          <div
            {...roving}
            role="list"
            className="absolute top-0 left-0 origin-top-left"
            style={{
              transform: `scale(${scale}) translate(${MARGIN}px, ${MARGIN}px)`,
              width: map.width,
              height: map.height,
            }}
          >
            {[...map.boxes.values()].map((box) => {
              const block = drawn.get(box.id)
              if (box.id === QUESTION || box.id === ANSWER) return <EndBox key={box.id} box={box} />
              if (!block) return null
              const isFrame = drawing.blocks.some(({ inside }) => inside === box.id)
              const Part = isFrame ? FrameBox : CardBox
              return (
                <Part
                  key={box.id}
                  box={box}
                  block={block}
                  label={sentence(block, blocks.get(box.id), drawn, map, isOver)}
                  view={blocks.get(box.id) ?? null}
                  isChosen={chosen.has(box.id)}
                  isOver={isOver}
                  onOpen={onBlock ? () => onBlock(box.id) : null}
                />
              )
            })}
            <DrawingEdges map={map} isActive={isActive} />
          </div>
        </div>
      </ScrollRegion>
      {ways.readable === ways.whole ? null : (
        <Button
          size="sm"
          icon={seesAll ? Maximize2 : Minimize2}
          onPress={() => setSeesAll(!seesAll)}
          className="absolute right-4 bottom-4 shadow-sm"
        >
          {seesAll ? words.readable : words.whole}
        </Button>
      )}
    </div>
  )
}

const WAYS = [1, 2, 3, 4, 6, 8].flatMap((abreast) =>
  (['down', 'right'] satisfies Flow[]).map((flow) => ({ flow, abreast })),
)

interface Fit {
  map: Placed
  scale: number
}

/**
 * `whole`: the way in which all of it is largest. `readable`: the same, or, where that is too small to be read, one that
 * scrolls: downwards, if that is enough.
 */
function fitting(
  drawing: Drawing,
  size: BoxSize | null,
): Readonly<Record<'whole' | 'readable', Fit>> {
  const held = Math.max(1, ...[...heldBy(drawing.blocks).values()].map(({ length }) => length))
  const tried = WAYS.filter(({ abreast }) => abreast <= held).map((way) => {
    const map = placed(drawing, way, headOf)
    const across = size ? Math.min(1, size.width / (map.width + 2 * MARGIN)) : 1
    const along = size ? Math.min(1, size.height / (map.height + 2 * MARGIN)) : 1
    return { map, across, whole: Math.min(across, along) }
  })
  const best = largest(tried, ({ whole }) => whole)
  const whole = { map: best.map, scale: best.whole }
  if (best.whole >= LEAST) return { whole, readable: whole }
  const narrow = tried.filter(({ across }) => across >= LEAST)
  const lowest = largest(narrow.length > 0 ? narrow : tried, (way) => way.whole)
  const scale = Math.max(LEAST, Math.min(lowest.across, COMFORTABLE))
  return { whole, readable: { map: lowest.map, scale } }
}

/** The first of the largest, where a little more is none. */
function largest<T>(items: readonly T[], sizeOf: (item: T) => number): T {
  return items.reduce((best, next) => (sizeOf(next) > sizeOf(best) * 1.05 ? next : best))
}

/** "Solver 1, agent, line 4, 1 call, done, 212 tokens, in Ensemble, after Planner" */
function sentence(
  block: DrawnBlock,
  view: BlockView | undefined,
  drawn: ReadonlyMap<string, DrawnBlock>,
  map: Placed,
  isOver: boolean,
): string {
  const holder = drawn.get(block.inside ?? '')
  const before = map.lines.flatMap(({ source, target }) =>
    target === block.id && drawn.has(source) ? [nameIn(drawn, source)] : [],
  )
  return [
    block.kind === 'agent' ? `${block.name}, ${text.kind.agent}` : headOf(block),
    text.line(block.line),
    DYNAMIC.has(block.kind) ? words.dynamic : null,
    view ? standing(view, isOver) : null,
    holder ? words.inside(nameOfBlock(holder)) : null,
    before.length > 0 ? words.reads(before.join(', ')) : null,
  ]
    .filter(Boolean)
    .join(', ')
}

const nameIn = (drawn: ReadonlyMap<string, DrawnBlock>, id: string): string => {
  const block = drawn.get(id)
  return block ? nameOfBlock(block) : id
}
