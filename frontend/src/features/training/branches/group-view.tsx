import { useState } from 'react'
import { useLocation } from 'react-router'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { Disclosure } from '@/components/disclosure'
import { Fact } from '@/components/fact'
import { PromptView } from '@/components/run/prompt-view'
import { TextLink } from '@/components/text-link'
import { formatCount, formatMetric } from '@/lib/format'
import { text } from '@/strings/branches'
import { endOf } from '@/strings/ends'

import { BranchCard } from './branch-card'
import { groupAddress, shownTo, spreadOf } from './group'
import type { Scale } from './heat'
import type { Branches, Place } from './use-branches'

const { group: words } = text

interface Props {
  job: string
  step: number
  place: Place
  group: Branches
  scale: Scale
  isBeside: boolean
  /** The group on the other side, for the second of two. */
  beside: Branches | null
}

/** The branches of a group, the played one first, then by reward. */
export function GroupView({ job, step, place, group, scale, isBeside, beside }: Readonly<Props>) {
  const { branches } = group
  const first = branches[0]
  const { mean, deviation, isFlat } = spreadOf(branches.map(({ reward }) => reward))
  const sorted = branches.toSorted(
    (left, right) => Number(right.taken) - Number(left.taken) || right.reward - left.reward,
  )
  const [more, setMore] = useState<{ readonly of: Branches; readonly end: number } | null>(null)
  const end = more?.of === group ? more.end : shownTo(sorted, 0)
  const rest = branches.length - end
  const isSame = beside !== null && beside.branches[0]?.prompt_hash === first?.prompt_hash
  return (
    <section aria-label={words.atStep(formatCount(step))} className="flex min-w-0 flex-col gap-3">
      <h2 className={isBeside ? 'flex items-center gap-3 text-base font-semibold' : 'sr-only'}>
        {words.atStep(formatCount(step))}
        {beside === null ? null : <OpenLink job={job} step={step} group={group} place={place} />}
      </h2>
      <dl
        aria-label={words.facts}
        className="grid grid-cols-2 gap-x-4 gap-y-2 rounded-lg border border-line bg-surface-1 px-4 py-2.5 sm:flex sm:flex-wrap sm:gap-x-8"
      >
        <Fact name={words.mean}>{formatMetric(mean)}</Fact>
        <Fact name={words.deviation}>
          {isFlat ? <Badge title={text.equalHelp}>{text.equal}</Badge> : formatMetric(deviation)}
        </Fact>
        <Fact name={text.columns.ended}>{endOf(group.ended)}</Fact>
        {first ? (
          <Fact name={words.version} title={words.versionHelp}>
            {words.versionOf(first.policy, formatCount(first.version))}
          </Fact>
        ) : null}
      </dl>
      {isFlat ? <p className="text-xs text-ink-2">{text.equalHelp}</p> : null}
      {isSame ? (
        <p className="py-1.5 text-xs text-ink-3">{words.samePrompt}</p>
      ) : (
        <Disclosure
          title={words.prompt}
          hint={beside === null ? words.promptOfAll : words.otherPrompt}
        >
          <PromptView messages={group.prompt} />
        </Disclosure>
      )}
      <ul
        aria-label={words.branches(branches.length, formatCount(branches.length))}
        className={cx(
          'grid items-start gap-3 sm:grid-cols-2',
          isBeside ? 'lg:grid-cols-1 2xl:grid-cols-2' : 'lg:grid-cols-3 2xl:grid-cols-4',
        )}
      >
        {sorted.slice(0, end).map((branch) => (
          <BranchCard key={branch.branch} branch={branch} scale={scale} />
        ))}
      </ul>
      {rest > 0 ? (
        <Button
          className="self-start"
          onPress={() => setMore({ of: group, end: shownTo(sorted, end) })}
        >
          {words.more(rest, formatCount(rest))}
        </Button>
      ) : null}
    </section>
  )
}

/** To the page of the step beside. */
function OpenLink({
  job,
  step,
  group,
  place,
}: Readonly<Pick<Props, 'job' | 'step' | 'group' | 'place'>>) {
  const { search } = useLocation()
  const rest = new URLSearchParams(search)
  rest.delete('with')
  return (
    <TextLink
      to={{
        pathname: groupAddress(job, step, { ...place, episode: group.episode }),
        search: rest.toString(),
      }}
      className="text-xs font-normal"
    >
      {words.openStep(formatCount(step))}
    </TextLink>
  )
}
