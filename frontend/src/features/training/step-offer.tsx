import type { LucideIcon } from 'lucide-react'

import { ButtonLink } from '@/components/button-link'
import { formatCount } from '@/lib/format'

import { nearestStep } from './curves'

interface Props {
  /** The chosen step. */
  step: number
  /** The steps of which all is kept. */
  kept: readonly number[]
  icon: LucideIcon
  address: (step: number) => string
  words: Readonly<{
    offer: (step: string) => string
    offerHelp: string
    notKept: (step: string, near: string) => string
  }>
}

/** The way from a point of a curve to what is kept of that step, or of the nearest one; nothing if nothing is kept. */
export function StepOffer({ step, kept, icon, address, words }: Readonly<Props>) {
  const near = nearestStep(kept, step)
  if (near === null) return null
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-surface-1 px-4 py-2.5">
      <ButtonLink to={address(near)} size="sm" icon={icon}>
        {words.offer(formatCount(near))}
      </ButtonLink>
      <p className="text-xs text-ink-2">
        {near === step ? words.offerHelp : words.notKept(formatCount(step), formatCount(near))}
      </p>
    </div>
  )
}
