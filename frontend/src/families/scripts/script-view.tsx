import { useEffect, useMemo } from 'react'

import { cx } from '@/components/cx'
import type { ViewProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { useWide } from '@/lib/use-wide'

import { chosenIn } from './chosen'
import { DrawingView } from './drawing-view'
import { ScriptHead, useTry } from './script-head'
import { ScriptPane } from './script-pane'
import { usePhase, useScripts, type Scripts } from './use-scripts'
import { text } from './words'

/** Script and drawing beside each other. On a phone the script stands below, with the calls. */
export function ScriptView({ selected, onSelect }: Readonly<ViewProps>) {
  const wide = useWide()
  const scripts = useScripts()
  const phase = usePhase(scripts)
  const [shown, show] = useTry(scripts.writings)
  useFollow(selected, onSelect)
  const isLast = shown === scripts.last
  const script = (
    <ScriptPane
      key={shown?.number}
      {...{ scripts, selected, onSelect }}
      writing={shown}
      className="min-h-0 min-w-0"
    />
  )
  return (
    <section aria-label={text.tab} className="flex size-full min-h-0 flex-col bg-surface-1">
      <p role="status" className="sr-only">
        {phase}
      </p>
      <ScriptHead {...{ scripts, phase, shown }} onShow={wide || !scripts.drawing ? show : null} />
      <div className={cx('grid min-h-0 flex-1', wide && 'grid-cols-2 divide-x divide-line')}>
        {wide || !scripts.drawing ? script : null}
        {wide && !isLast && scripts.last ? (
          <ScriptPane
            {...{ scripts, selected, onSelect }}
            writing={scripts.last}
            before={shown}
            className="min-h-0 min-w-0"
          />
        ) : wide || scripts.drawing ? (
          <DrawingPart {...{ scripts, selected, onSelect }} />
        ) : null}
      </div>
    </section>
  )
}

interface PartProps extends ViewProps {
  scripts: Scripts
}

function DrawingPart({ scripts, selected, onSelect }: Readonly<PartProps>) {
  const { drawing, blocks, isOver, last } = scripts
  const chosen = useMemo(
    () => new Set(chosenIn(selected, drawing, Infinity)?.blocks.map(({ id }) => id)),
    [selected, drawing],
  )
  if (!drawing || drawing.blocks.length === 0) {
    const { drawing: words } = text
    const why = drawing
      ? words.empty
      : last?.read
        ? words.unusable
        : isOver
          ? words.stopped
          : words.waits
    return <p className="m-auto max-w-64 p-4 text-center text-ink-3">{why}</p>
  }
  return (
    <DrawingView
      {...{ drawing, blocks, chosen, isOver }}
      onBlock={(id) => onSelect(id === selected ? null : id)}
      className="min-w-0"
    />
  )
}

/** The replay takes along who has chosen a block. */
function useFollow(selected: string | null, onSelect: ViewProps['onSelect']): void {
  const playing = useRun((state) => state.playing)
  const isPast = playing && selected !== null
  useEffect(() => {
    if (isPast) onSelect(null)
  }, [isPast, onSelect])
}
