/** Parts of a run's page, shown for tests. */
import type { ReactNode } from 'react'

import { RunContext } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { FAMILIES } from '@/families/all'
import type { Frame, RunDetail } from '@/graph/frames'
import { recording, type Recording } from '@/graph/tests/frames'
import { show as showPage } from '@/lib/tests/show'

/** Only what the recording tells: nothing is fetched. */
export function show(name: Recording, page: ReactNode, count = Infinity) {
  return showFrames(recording(name).slice(0, count), page)
}

/** The recording with some of the run's stored values changed. */
export const storedAs = (name: Recording, part: Partial<RunDetail>): Frame[] =>
  recording(name).map((frame) =>
    'detail' in frame ? { ...frame, detail: { ...frame.detail, ...part } } : frame,
  )

/** `known` further queries, by the keys of the queries. */
export function showFrames(
  frames: readonly Frame[],
  page: ReactNode,
  known: readonly (readonly [key: readonly unknown[], value: unknown])[] = [],
) {
  const store = createRunStore(frames[0]?.run ?? '', FAMILIES)
  store.getState().applyFrames(frames)
  showPage(<RunContext value={store}>{page}</RunContext>, {
    known: [
      [['methods'], []],
      [['me'], { username: 'ada', permissions: { run: true, admin: true } }],
      [['pool', 'general'], { roles: [] }],
      ...known,
    ],
    isFresh: true,
  })
  return { store }
}
