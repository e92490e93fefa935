import type { ReactNode } from 'react'

import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

import { Composer } from './composer'
import { RecentRuns } from './recent-runs'
import { Samples } from './samples'
import { useAsked } from './use-asked'

/** `children` stand between the question and the runs before it. */
export function AskPage({ children }: Readonly<{ children?: ReactNode }>) {
  useTitle(strings.ask.title)
  useAsked()
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 pt-6 pb-10 sm:px-6 sm:pt-[9dvh]">
      <section className="flex flex-col gap-4">
        <h1 className="text-xl font-semibold tracking-tight">{strings.ask.heading}</h1>
        <Composer />
        <Samples />
      </section>
      {children}
      <RecentRuns />
    </div>
  )
}
