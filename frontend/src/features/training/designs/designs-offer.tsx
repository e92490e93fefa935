import { useQuery } from '@tanstack/react-query'
import { FileCode2 } from 'lucide-react'

import { ButtonLink } from '@/components/button-link'
import { nearestStep } from '@/features/training/curves'
import type { Training } from '@/features/training/use-training'
import { formatCount } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import { stepAddress } from './matrix'
import { stepsQuery } from './use-designs'

/** The way from a point of a curve to the designs behind it; nothing for a training without any. */
export function DesignsOffer({ job, step }: Readonly<{ job: Training; step: number }>) {
  const kept = useQuery(stepsQuery(job.id, job.step)).data ?? []
  const near = nearestStep(kept, step)
  if (near === null) return null
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-surface-1 px-4 py-2.5">
      <ButtonLink to={stepAddress(job.id, near)} size="sm" icon={FileCode2}>
        {text.offer(formatCount(near))}
      </ButtonLink>
      <p className="text-xs text-ink-2">
        {near === step ? text.offerHelp : text.notKept(formatCount(step), formatCount(near))}
      </p>
    </div>
  )
}
