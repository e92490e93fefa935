/** Parts of the run page that are fetched beside it. */
import { later } from '@/components/later'

export const AgentPanel = later(
  async () => (await import('@/components/run/agent-panel')).AgentPanel,
)
export const TraceTree = later(async () => (await import('@/components/run/trace-tree')).TraceTree)
export const TimelineView = later(async () => (await import('./timeline-view')).TimelineView)
export const WaitingPanel = later(async () => (await import('./waiting-panel')).WaitingPanel)
export const ReplayBar = later(async () => (await import('./replay-bar')).ReplayBar, {
  waiting: () => null,
})

/** Those that a run comes to by itself: it may get there just when the network is away. */
export function prepareParts(isOver: boolean): void {
  if (!isOver) void WaitingPanel.prepare()
  void ReplayBar.prepare()
}
