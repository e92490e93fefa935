import { useMutation } from '@tanstack/react-query'
import { FastForward, Hand, Play, StepForward } from 'lucide-react'
import { use } from 'react'

import { Button } from '@/components/button'
import { Disclosure } from '@/components/disclosure'
import { MessageText } from '@/components/message-text'
import { Refusal } from '@/components/query-state'
import { RunContext, useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { useAgentNames, useAgents } from '@/components/run/use-agents'
import { TextArea } from '@/components/text-area'
import { Tooltip } from '@/components/tooltip'
import { hasSpoken } from '@/graph/names'
import type { components } from '@/generated/api'
import { continueRun, useMe } from '@/lib/api/queries'
import { useWritten } from '@/lib/use-written'

type Continuation = components['schemas']['ContinuationRequest']

type Mode = NonNullable<Continuation['mode']>

const words = text.control

const WAYS = [
  ['step', words.step, words.stepHelp, StepForward],
  ['go_on', words.goOn, words.goOnHelp, Play],
  ['to_end', words.toEnd, words.toEndHelp, FastForward],
] as const

/** Why the run stands still, and the ways to go on: release an agent, or say what it says. */
export function WaitingPanel() {
  const pause = useRun((state) => state.attempt?.pause ?? null)
  const owner = useRun((state) => state.view.detail?.created_by ?? '')
  const nameOf = useAgentNames()
  const agents = useAgents()
  const me = useMe()
  const run = useRun((state) => state.view.runId)
  const [kept, keep] = useWritten(`answers ${run}`, '{}')
  const goOn = useGoOn(() => keep(null))
  if (!pause) return null
  const drafts = JSON.parse(kept) as Readonly<Record<string, string>>
  /** Everything that was written goes with whatever is pressed: the panel goes, too. */
  const go = (mode: Mode): void => {
    const written = Object.entries(drafts).filter(
      ([id, said]) => pause.asked.includes(id) && said.trim() !== '',
    )
    goOn.mutate({ mode, messages: Object.fromEntries(written) })
  }
  const spoken = [...agents.values()].filter(hasSpoken).length
  const held = pause.waitingFor.filter((id) => !pause.asked.includes(id))
  const names = (ids: readonly string[]): string => ids.map(nameOf).join(', ')
  const mayGoOn = me?.permissions.run && (me.permissions.admin || owner === me.username)
  return (
    <section
      aria-label={words.title(names(pause.waitingFor))}
      className="flex flex-col gap-3 rounded-lg border border-warn/50 bg-surface-1 px-4 py-3"
    >
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-3" role="status">
          <Hand size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
          <p className="flex min-w-0 flex-col">
            <span className="font-semibold">
              {held.length > 0 ? words.title(names(held)) : words.asked(names(pause.asked))}
            </span>
            <span className="text-ink-2">{mayGoOn ? words.help(spoken) : words.others(owner)}</span>
          </p>
        </div>
        {mayGoOn && held.length > 0 ? (
          <div className="flex flex-wrap gap-1.5">
            {WAYS.map(([mode, label, help, Icon]) => (
              <Tooltip key={mode} content={help}>
                <Button
                  size="sm"
                  variant={mode === 'go_on' ? 'primary' : 'secondary'}
                  icon={Icon}
                  isDisabled={goOn.isPending}
                  onPress={() => go(mode)}
                >
                  {label}
                </Button>
              </Tooltip>
            ))}
          </div>
        ) : null}
      </div>
      {mayGoOn
        ? pause.asked.map((id) => (
            <Asked
              key={id}
              id={id}
              message={drafts[id] ?? ''}
              onChange={(said) => keep(JSON.stringify({ ...drafts, [id]: said }))}
              onSay={() => go('say')}
              isPending={goOn.isPending}
            />
          ))
        : null}
      <Refusal of={goOn} />
    </section>
  )
}

function useGoOn(onDone: () => void) {
  const store = use(RunContext)
  const id = useRun((state) => state.view.runId)
  return useMutation({
    mutationFn: (wanted: Continuation) => continueRun(id, wanted),
    onSuccess: (detail) => {
      onDone()
      store?.getState().applyFrames([{ type: 'status', run: id, detail }])
    },
  })
}

interface AskedProps {
  id: string
  message: string
  onChange: (message: string) => void
  onSay: () => void
  isPending: boolean
}

/** What the agent reads, and the field for what it says. */
function Asked({ id, message, onChange, onSay, isPending }: Readonly<AskedProps>) {
  const nameOf = useAgentNames()
  const agents = useAgents()
  const reads = (agents.get(id)?.reads ?? []).flatMap((source) => agents.get(source) ?? [])
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-3">
      {reads.map((source) => (
        <Disclosure key={source.id} level={2} title={words.reads(nameOf(source.id))}>
          <div className="max-h-[30dvh] overflow-auto">
            <MessageText text={source.message ?? ''} />
          </div>
        </Disclosure>
      ))}
      <TextArea
        label={words.message(nameOf(id))}
        placeholder={words.placeholder}
        value={message}
        onChange={onChange}
      />
      <div>
        <Button
          size="sm"
          variant="primary"
          isDisabled={message.trim() === ''}
          isPending={isPending}
          onPress={onSay}
        >
          {words.say}
        </Button>
      </div>
    </div>
  )
}
