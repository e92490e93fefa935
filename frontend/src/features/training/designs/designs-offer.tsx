import { useQuery } from '@tanstack/react-query'
import { FileCode2 } from 'lucide-react'

import { StepOffer } from '@/features/training/step-offer'
import type { Training } from '@/features/training/use-training'
import { text } from '@/strings/sampled-designs'

import { stepAddress } from './matrix'
import { stepsQuery } from './use-designs'

/** The way from a point of a curve to the designs behind it. */
export function DesignsOffer({ job, step }: Readonly<{ job: Training; step: number }>) {
  const kept = useQuery(stepsQuery(job.id, job.step)).data ?? []
  return (
    <StepOffer
      step={step}
      kept={kept}
      icon={FileCode2}
      address={(near) => stepAddress(job.id, near)}
      words={text}
    />
  )
}
