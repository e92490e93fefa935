import { CircleStop, Plus, Trash2 } from 'lucide-react'

import { cx } from '@/components/cx'
import type { SampleProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { useAgentNames } from '@/components/run/use-agents'
import { formatMetric, formatProbability, formatSigned } from '@/lib/format'

import { creditsOf, type Credit } from './credits'
import { constructionOf, type StepView } from './steps'
import { text } from './words'

const { credits: words } = text
const ICONS = { add: Plus, delete: Trash2, exit: CircleStop }

/** Each action of the policy with what it earned and whether it is made more or less probable. */
export function CreditList({ sample, onSelect }: Readonly<SampleProps>) {
  const steps = useRun(({ attempt }) => constructionOf(attempt).steps)
  const credits = creditsOf(sample)
  return (
    <div className="flex flex-col gap-1 px-4 py-3">
      <h3 className="text-sm font-semibold">{words.title}</h3>
      <p className="text-xs text-ink-3">{words.help}</p>
      <ol className="mt-1 flex flex-col">
        {steps.map((step, index) => (
          <li key={step.step} className="border-t border-line py-2 first:border-t-0">
            <ActionRow step={step} credit={credits[index] ?? null} onSelect={onSelect} />
          </li>
        ))}
      </ol>
    </div>
  )
}

interface RowProps {
  step: StepView
  credit: Credit | null
  onSelect: (agent: string) => void
}

function ActionRow({ step, credit, onSelect }: Readonly<RowProps>) {
  const nameOf = useAgentNames()
  const Icon = ICONS[step.kind]
  const name = nameOf(step.agentId ?? '')
  const label = { add: text.add(name), delete: text.remove(name), exit: text.EXIT }[step.kind]
  const chosen = step.candidates.find(({ action }) => action === step.choice)
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-center gap-2">
        <Icon size={14} aria-hidden className="shrink-0 text-ink-3" />
        {step.agentId === null ? (
          <span className="font-medium">{label}</span>
        ) : (
          <button
            type="button"
            onClick={() => onSelect(step.agentId ?? '')}
            className="min-w-0 truncate rounded-sm text-left font-medium text-accent hover:underline"
          >
            {label}
          </button>
        )}
        <span className="ml-auto text-xs whitespace-nowrap text-ink-3">
          {words.probability} {formatProbability(chosen?.probability)}
        </span>
      </p>
      {credit ? <CreditBar credit={credit} /> : null}
    </div>
  )
}

/** To the right of the middle what is encouraged, to the left what is discouraged. */
function CreditBar({ credit: { reward, advantage, relative } }: Readonly<{ credit: Credit }>) {
  const isGood = relative >= 0
  return (
    <div className="grid grid-cols-[1fr_12.5rem] items-center gap-x-3 text-xs text-ink-2">
      <span aria-hidden className="relative h-1.5 rounded-full bg-surface-3">
        <span className="absolute inset-y-[-2px] left-1/2 w-px bg-line-strong" />
        <span
          className={cx(
            'absolute h-full rounded-full',
            isGood ? 'left-1/2 bg-good' : 'right-1/2 bg-bad',
          )}
          style={{ width: `${Math.abs(relative) * 50}%` }}
        />
      </span>
      <span className="text-right">
        {words.advantage} <b className="font-medium text-ink">{formatSigned(advantage)}</b>
        {' · '}
        {words.reward.toLowerCase()} {formatMetric(reward)}
      </span>
    </div>
  )
}
