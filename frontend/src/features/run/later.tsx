/** Parts of the run page that are fetched when somebody opens them. */
import { lazy, Suspense, type ComponentProps } from 'react'

import { WorkingBlock } from '@/components/working'

const Timeline = lazy(async () => ({ default: (await import('./timeline-view')).TimelineView }))
const Trace = lazy(async () => ({
  default: (await import('@/components/run/trace-tree')).TraceTree,
}))
const Waiting = lazy(async () => ({ default: (await import('./waiting-panel')).WaitingPanel }))

export function TraceTree(props: ComponentProps<typeof Trace>) {
  return (
    <Suspense fallback={<WorkingBlock />}>
      <Trace {...props} />
    </Suspense>
  )
}

export function TimelineView(props: ComponentProps<typeof Timeline>) {
  return (
    <Suspense fallback={<WorkingBlock />}>
      <Timeline {...props} />
    </Suspense>
  )
}

export function WaitingPanel() {
  return (
    <Suspense fallback={<WorkingBlock />}>
      <Waiting />
    </Suspense>
  )
}
