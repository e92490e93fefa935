import { Flag, MessageCircleQuestion, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'

import { cx } from '@/components/cx'
import { StatusIcon } from '@/components/run/agent-look'
import { ROVING } from '@/lib/use-roving'

import { headOf, ICONS, nameOfBlock, used } from './block-look'
import { DYNAMIC, type BlockView } from './blocks'
import { ANSWER, headHeight, QUESTION, type Box } from './places'
import type { DrawnBlock } from './scripts'
import { text } from './words'

const { drawing: words } = text

const at = ({ x, y, width, height }: Box) => ({ left: x, top: y, width, height })

interface BoxProps {
  box: Box
  block: DrawnBlock
  label: string
  view: BlockView | null
  isChosen: boolean
  isOver: boolean
  onOpen: (() => void) | null
}

export function CardBox({ box, block, label, view, isChosen, isOver, onOpen }: Readonly<BoxProps>) {
  const status = view?.status ?? 'waiting'
  const Icon = ICONS[block.kind]
  return (
    <div role="listitem" className="absolute z-20" style={at(box)}>
      <Press
        {...{ label, isChosen, onOpen }}
        className={cx(
          'flex size-full flex-col justify-center gap-0.5 rounded-lg border bg-surface-1 px-2.5 text-left',
          isChosen
            ? 'border-accent ring-2 ring-accent'
            : status === 'active'
              ? 'node-active border-accent'
              : status === 'failed'
                ? 'border-bad'
                : status === 'waiting' && view
                  ? 'border-dashed border-line-strong'
                  : 'border-line-strong',
        )}
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <Icon size={14} aria-hidden className="shrink-0 text-ink-3" />
          <b className="min-w-0 truncate text-sm font-semibold">{nameOfBlock(block)}</b>
          {block.tools.length > 0 ? (
            <span
              title={block.tools.join(', ')}
              className="ml-auto flex shrink-0 items-center gap-0.5 text-xs text-ink-3"
            >
              <Wrench size={12} aria-hidden />
              {block.tools.length}
            </span>
          ) : null}
        </span>
        <span className="flex items-center gap-1 text-xs whitespace-nowrap text-ink-2">
          {view ? (
            <>
              <StatusIcon status={status} size={12} />
              <span className="truncate">{used(view, isOver)}</span>
            </>
          ) : (
            <span className="truncate">{block.prompt || block.detail}</span>
          )}
        </span>
      </Press>
    </div>
  )
}

export function FrameBox({ box, block, label, view, isChosen, onOpen }: Readonly<BoxProps>) {
  const Icon = ICONS[block.kind]
  const isDynamic = DYNAMIC.has(block.kind)
  const isActive = view?.status === 'active'
  return (
    <div
      role="listitem"
      className={cx(
        'absolute rounded-xl border',
        isDynamic ? 'border-dashed bg-transparent' : 'bg-surface-2/60',
        isChosen
          ? 'border-accent ring-2 ring-accent'
          : isActive
            ? 'border-accent'
            : 'border-line-strong/70',
      )}
      style={at(box)}
    >
      <Press
        {...{ label, isChosen, onOpen }}
        className="relative z-20 flex w-full items-center gap-1.5 rounded-t-xl px-2.5 text-left"
        style={{ height: headHeight(block) - 4 }}
      >
        <Icon size={13} aria-hidden className={isActive ? 'text-accent' : 'text-ink-3'} />
        <span
          className={cx(
            'flex min-w-0 flex-col rounded-sm px-1 text-xs leading-4',
            isDynamic ? 'bg-surface-0' : 'bg-surface-2',
          )}
        >
          <span className="truncate font-medium text-ink-2">{headOf(block)}</span>
          {isDynamic ? <span className="truncate text-ink-3 italic">{words.dynamic}</span> : null}
        </span>
      </Press>
    </div>
  )
}

interface PressProps {
  label: string
  isChosen: boolean
  onOpen: (() => void) | null
  className: string
  style?: { height: number }
  children: ReactNode
}

/** All of it is one button, where it opens something. */
function Press({ label, isChosen, onOpen, className, style, children }: Readonly<PressProps>) {
  return (
    <div className={cx('relative', className)} style={style}>
      {/* The label tells all of it; read twice it would only be noise. */}
      <div aria-hidden className="contents">
        {children}
      </div>
      {onOpen ? (
        <button
          type="button"
          {...ROVING}
          aria-label={label}
          aria-pressed={isChosen}
          onClick={onOpen}
          className="absolute inset-0 rounded-[inherit] hover:bg-accent/5 focus-visible:-outline-offset-2"
        />
      ) : (
        <span className="sr-only">{label}</span>
      )}
    </div>
  )
}

export function EndBox({ box }: Readonly<{ box: Box }>) {
  const [Icon, name] =
    box.id === QUESTION ? [MessageCircleQuestion, words.question] : [Flag, words.answer]
  return (
    <div
      role="listitem"
      className={cx(
        'absolute z-20 flex items-center justify-center gap-1.5 rounded-full border text-xs font-semibold',
        box.id === ANSWER
          ? 'border-accent bg-accent-soft text-accent'
          : 'border-line-strong bg-surface-2 text-ink-2',
      )}
      style={at(box)}
    >
      <Icon size={13} aria-hidden />
      {name}
    </div>
  )
}
