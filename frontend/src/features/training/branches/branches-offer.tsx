import { useQuery } from '@tanstack/react-query'
import { GitFork } from 'lucide-react'

import { StepOffer } from '@/features/training/step-offer'
import type { Training } from '@/features/training/use-training'
import { text } from '@/strings/branches'

import { stepAddress } from './group'
import { stepsQuery } from './use-branches'

/** The way from a point of a curve to the branches behind it. */
export function BranchesOffer({ job, step }: Readonly<{ job: Training; step: number }>) {
  const kept = useQuery(stepsQuery(job.id, job.step)).data ?? []
  return (
    <StepOffer
      step={step}
      kept={kept}
      icon={GitFork}
      address={(near) => stepAddress(job.id, near)}
      words={text}
    />
  )
}
