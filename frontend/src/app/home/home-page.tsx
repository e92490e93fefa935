import { ArrowRight, Check, Circle, Footprints, X } from 'lucide-react'
import { Link } from 'react-router'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

import { IconButton } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { AskPage } from '@/features/ask/ask-page'
import { useTourSeen } from '@/features/run/tour/seen'
import { strings } from '@/strings/studio'

import { NowRunning } from './now-running'
import { useSteps } from './use-home'

/** A question to ask, what runs now, what to do next, and what was asked before. */
export function HomePage() {
  return (
    <AskPage>
      <NowRunning />
      <SampleRun />
      <NextSteps />
    </AskPage>
  )
}

const words = strings.home

/** For who is new: a run to look at before there is a model, until they have been shown around. */
export function SampleRun() {
  const { seen, remember } = useTourSeen()
  if (seen !== false) return null
  return (
    <section className="relative flex items-center gap-2 rounded-lg border border-line bg-surface-1 py-2 pr-2 pl-4 hover:bg-surface-2">
      <Footprints size={16} aria-hidden className="shrink-0 text-accent" />
      <span className="min-w-0 flex-1">
        <Link to="/sample" className="font-medium after:absolute after:inset-0">
          {words.sample}
        </Link>
        <span className="block text-xs text-ink-2">{words.sampleWhy}</span>
      </span>
      <IconButton className="relative" label={words.hideSample} onPress={remember} icon={X} />
    </section>
  )
}

const useHidden = create<{ hidden: boolean; hide: () => void }>()(
  persist((set) => ({ hidden: false, hide: () => set({ hidden: true }) }), {
    name: 'mas-studio-first-steps',
  }),
)

/** From a model to a trained team: what comes next, until all of it has been done or somebody has
 * had enough of it. */
export function NextSteps() {
  const steps = useSteps()
  const { hidden, hide } = useHidden()
  if (hidden || !steps || steps.every(({ done }) => done)) return null
  const next = steps.find(({ done }) => !done)
  return (
    <Card
      flush
      title={words.steps(steps.filter(({ done }) => done).length, steps.length)}
      actions={<IconButton label={words.hide} onPress={hide} icon={X} />}
    >
      <ol className="divide-y divide-line">
        {steps.map(({ step, to, done }) => (
          <li
            key={step}
            aria-current={step === next?.step ? 'step' : undefined}
            className="relative grid grid-cols-[1.25rem_1fr_auto] items-center gap-x-2 px-4 py-2 hover:bg-surface-2"
          >
            {done ? (
              <Check size={16} className="text-good" aria-label={words.done} />
            ) : (
              <Circle size={16} className="text-ink-3" aria-label={words.open} />
            )}
            <span className="min-w-0">
              <Link
                to={to}
                className={cx(
                  'font-medium after:absolute after:inset-0',
                  done && 'text-ink-3 line-through',
                )}
              >
                {words.names[step]}
              </Link>
              {step === next?.step ? (
                <span className="block text-xs text-ink-2">{words.why[step]}</span>
              ) : null}
            </span>
            {step === next?.step ? (
              <ArrowRight size={16} aria-hidden className="text-accent" />
            ) : null}
          </li>
        ))}
      </ol>
    </Card>
  )
}
