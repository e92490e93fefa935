import { Scale } from 'lucide-react'

import { formatCount } from '@/lib/format'
import { text } from '@/strings/evaluations'

import { useArmName } from './use-arm-name'
import type { Evaluation } from './use-evaluations'

const { differences: words } = text

type Arm = Evaluation['arms'][number]
type Difference = Evaluation['differences'][number]

/** In the header: what the arms differ in beside their methods, arm by arm; nothing where that is nothing. */
export function ArmDifferences({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const nameOf = useArmName(evaluation)
  const { arms, differences } = evaluation
  if (differences.length === 0) return null
  return (
    <section aria-label={words.label} className="flex items-start gap-2 text-sm">
      <Scale size={14} aria-hidden className="mt-0.5 shrink-0 text-warn" />
      <div className="min-w-0">
        <p className="font-medium text-warn">
          {words.lead(differences.map((name) => words.names[name]).join(words.and))}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-xs">
          {differences.map((name) => (
            <div key={name} className="contents">
              <dt className="text-ink-3">{words.heads[name]}</dt>
              <dd className="min-w-0 break-words">
                {arms.map((arm) => `${nameOf(arm.label)}: ${valueOf(name, arm)}`).join(' · ')}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}

function valueOf(name: Difference, arm: Arm): string {
  if (name === 'limit') return words.tokens(formatCount(arm.reply_tokens))
  if (name === 'endpoint')
    return [`${arm.endpoint} / ${arm.model}`, ...arm.further_endpoints].join(', ')
  if (arm.tools === null) return words.unknown
  return arm.tools.join(', ') || words.noTools
}
