/** Methods whose policy draws how many solvers it asks. */
import { later } from '@/components/later'
import type { RunFamily } from '@/components/run/family-views'

import { changeDrawn, drawnOf, KEY } from './drawn'
import { text } from './words'

export const teamSize: RunFamily = {
  key: KEY,
  events: {
    size_drawn: {
      fold: (draft, { size, probabilities }) => {
        changeDrawn(draft, () => ({ size, probabilities }))
      },
      moment: ({ size }) => text.drawn(size),
    },
  },
  rowLooks: {},
  side: {
    label: text.tab,
    isShown: (attempt) => drawnOf(attempt) !== null,
    Panel: later(async () => (await import('./size-panel')).SizePanel),
  },
}
