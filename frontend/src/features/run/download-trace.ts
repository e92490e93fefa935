import type { RunView } from '@/graph/run-view'
import { saveFile } from '@/lib/save-file'

/** Saves the run with every stored event of all its attempts as one JSON file. */
export function downloadTrace(view: RunView): void {
  const events = view.attempts.flatMap((attempt) => attempt.events.toArray())
  const body = JSON.stringify({ run: view.detail, events }, null, 2)
  saveFile(new Blob([body], { type: 'application/json' }), `run-${view.runId}.json`)
}
