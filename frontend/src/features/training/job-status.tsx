import { LoaderCircle } from 'lucide-react'

import { Badge, StatusBadge } from '@/components/badge'

import { text } from '@/strings/training'
import { isStopping, type Training } from './use-training'

/** Its status; one that was stopped says so until its worker has heard of it. */
export function JobStatus({ job }: Readonly<{ job: Training }>) {
  if (!isStopping(job)) return <StatusBadge status={job.status} />
  return (
    <Badge
      tone="warn"
      icon={<LoaderCircle size={12} aria-hidden strokeWidth={2.5} className="animate-spin" />}
    >
      {text.stopping}
    </Badge>
  )
}
