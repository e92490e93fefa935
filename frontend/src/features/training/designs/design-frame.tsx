import { useQuery } from '@tanstack/react-query'

import { StepFrame, type StepFrameProps } from '@/features/training/step-frame'
import { jobQuery } from '@/features/training/use-training'
import { text } from '@/strings/sampled-designs'

import { stepAddress } from './matrix'
import { stepsQuery } from './use-designs'

/** The frame of the pages of a step's designs. */
export function DesignFrame(props: Readonly<StepFrameProps>) {
  const job = useQuery(jobQuery(props.job))
  const steps = useQuery({
    ...stepsQuery(props.job, job.data?.step ?? 0),
    enabled: job.data !== undefined,
  })
  return (
    <StepFrame
      {...props}
      steps={steps}
      addressOf={(to) => stepAddress(props.job, to)}
      words={text}
    />
  )
}
