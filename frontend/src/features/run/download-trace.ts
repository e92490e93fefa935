import type { RunView } from '@/graph/run-view'

/** Saves the run with every stored event of all its attempts as one JSON file. */
export function downloadTrace(view: RunView): void {
  const events = view.attempts.flatMap((attempt) => attempt.events.toArray())
  const body = JSON.stringify({ run: view.detail, events }, null, 2)
  const url = URL.createObjectURL(new Blob([body], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `run-${view.runId}.json`
  link.click()
  URL.revokeObjectURL(url)
}
