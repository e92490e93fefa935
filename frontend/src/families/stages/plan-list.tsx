import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'

import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { MessageText } from '@/components/message-text'
import { ScrollRegion } from '@/components/scroll-region'
import type { StageSubtask, TaskState } from '@/generated/events'

import { AgentLink, LongText, StatusLabel } from './look'
import { text } from './words'

const { plan: words } = text

interface Props {
  state: TaskState | null
  onAgent: (id: string) => void
}

/** The subtasks in their order, each with what its last attempt left. */
export function PlanList({ state, onAgent }: Readonly<Props>) {
  const subtasks = state?.subtasks ?? []
  const done = subtasks.filter(({ status }) => status === 'DONE').length
  return (
    <section aria-label={words.title} className="flex flex-col">
      <div className="flex items-center justify-between gap-2 px-4 py-3">
        <h2 className="text-sm font-semibold">{words.title}</h2>
        <span className="text-xs text-ink-3">
          {state ? words.done(done, subtasks.length) : words.none}
        </span>
      </div>
      <ol className="flex flex-col">
        {subtasks.map((subtask, index) => (
          <PlanItem
            key={subtask.id}
            subtask={subtask}
            ordinal={index + 1}
            isActive={subtask.id === state?.active}
            onAgent={onAgent}
          />
        ))}
      </ol>
    </section>
  )
}

interface ItemProps {
  subtask: StageSubtask
  ordinal: number
  isActive: boolean
  onAgent: (id: string) => void
}

function PlanItem({ subtask, ordinal, isActive, onAgent }: Readonly<ItemProps>) {
  const { status, attempts, artifact, by } = subtask
  const [isOpen, setIsOpen] = useState(false)
  const panel = useId()
  return (
    <li
      aria-current={isActive ? 'step' : undefined}
      className={cx(
        'flex gap-2.5 border-t border-line px-4 py-2.5',
        isActive && 'shadow-[inset_3px_0_0_var(--accent)]',
      )}
    >
      <span
        aria-hidden
        className={cx(
          'inline-grid size-5.5 shrink-0 place-items-center rounded-md text-xs font-semibold',
          isActive ? 'bg-accent text-accent-ink' : 'bg-surface-3 text-ink-2',
        )}
      >
        {ordinal}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <LongText>{subtask.text}</LongText>
        <p className="flex min-h-5 flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-ink-3">
          <StatusLabel status={status} />
          {isActive ? <span className="font-medium text-accent">{words.now}</span> : null}
          {attempts > 0 ? <span>{words.attempts(attempts)}</span> : null}
          {artifact ? (
            <button
              type="button"
              aria-expanded={isOpen}
              aria-controls={panel}
              aria-label={words.resultOf(ordinal)}
              onClick={() => setIsOpen(!isOpen)}
              className="inline-flex items-center gap-0.5 rounded-sm font-medium text-ink-2 hover:text-ink"
            >
              <ChevronRight
                size={13}
                aria-hidden
                className={cx('transition-transform', isOpen && 'rotate-90')}
              />
              {words.result}
            </button>
          ) : null}
        </p>
        {by === null ? null : <AgentLink id={by} onAgent={onAgent} />}
        <div id={panel} hidden={!isOpen}>
          {isOpen ? (
            <div className="relative">
              <ScrollRegion
                label={words.resultOf(ordinal)}
                className="max-h-72 overflow-auto rounded-md bg-surface-2 p-2.5 pr-10"
              >
                <MessageText text={artifact} />
              </ScrollRegion>
              <span className="absolute top-0.5 right-1">
                <CopyButton text={artifact} name={words.copy(ordinal)} />
              </span>
            </div>
          ) : null}
        </div>
      </div>
    </li>
  )
}
