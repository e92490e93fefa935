import { useState } from 'react'

import { cx } from '@/components/cx'
import { StatusIcon } from '@/components/run/agent-look'
import type { AgentStatus } from '@/graph/run-view'

import type { Writing } from './scripts'
import type { Scripts } from './use-scripts'
import { text } from './words'

const { script: words } = text

/** The try at a script that is looked at: the newest, until another one is chosen. */
export function useTry(writings: readonly Writing[]) {
  const [number, setNumber] = useState<number | null>(null)
  const last = writings.at(-1) ?? null
  const shown = writings.find((each) => each.number === number) ?? last
  const show = (chosen: number): void => setNumber(chosen === last?.number ? null : chosen)
  return [shown, show] as const
}

interface Props {
  scripts: Scripts
  phase: string
  shown: Writing | null
  /** null: all scripts stand elsewhere. */
  onShow: ((number: number) => void) | null
}

/** What happens now, and the scripts that there are if there is more than one. */
export function ScriptHead({ scripts, phase, shown, onShow }: Readonly<Props>) {
  const { writings } = scripts
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5">
      {writings.length > 1 && onShow ? (
        <div role="group" aria-label={words.choose} className="flex gap-1">
          {writings.map((writing) => (
            <button
              key={writing.number}
              type="button"
              aria-pressed={writing === shown}
              onClick={() => onShow(writing.number)}
              className={cx(
                'rounded-md border px-2 py-0.5 text-xs',
                writing === shown
                  ? 'border-accent bg-accent-soft font-medium text-accent'
                  : 'border-line text-ink-2 hover:bg-surface-2',
              )}
            >
              {words.name(writing.number)}
              <span className="font-normal">{` · ${stateOf(writing)}`}</span>
            </button>
          ))}
        </div>
      ) : null}
      <p
        aria-hidden
        className="ml-auto flex min-w-0 items-center gap-1.5 text-xs font-medium text-ink-2"
      >
        <StatusIcon status={iconOf(scripts)} size={13} />
        <span className="truncate">{phase}</span>
      </p>
    </div>
  )
}

/** “2 problems” */
export function stateOf({ read }: Writing): string {
  if (!read) return words.writing
  return read.problems.length > 0 ? words.problems(read.problems.length) : words.used
}

function iconOf({ ended, isOver, last }: Scripts): AgentStatus {
  if (ended) return ended.ending === 'delivered' ? 'done' : 'failed'
  if (!isOver) return 'active'
  return last?.read?.problems.length === 0 ? 'stopped' : 'failed'
}
