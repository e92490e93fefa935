import type { text } from '@/strings/tour'

export type TourStep = keyof typeof text.steps

/** In the order in which a page is read. Each is the name of a region: see `regionOf`. */
const STEPS: readonly TourStep[] = [
  'question',
  'graph',
  'replay',
  'why',
  'messages',
  'costs',
  'actions',
]

/** The view that a step's region is in; null: what a run's page opens with. */
export const tabOf = (step: TourStep): string | null => (step === 'messages' ? 'trace' : null)

export function regionOf(step: TourStep): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-tour="${step}"]`)
}

export const cardOf = (): HTMLElement | null =>
  document.querySelector<HTMLElement>('[data-tour-card]')

/** A run that goes on has no replay yet, and one without a team has nothing to replay. */
export function stepsHere(): TourStep[] {
  return STEPS.filter((step) => step !== 'replay' || regionOf(step) !== null)
}
