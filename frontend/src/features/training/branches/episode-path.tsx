import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'

import { cx } from '@/components/cx'
import { formatMetric } from '@/lib/format'
import { text } from '@/strings/branches'

import { agentName, groupAddress, isSamePlace, spreadOf } from './group'
import { groupsOfTaskQuery, type Place } from './use-branches'

interface Props {
  job: string
  step: number
  task: number
  place: Place
}

/** The groups of the episode in the order in which they were played, each with its best reward. */
export function EpisodePath({ job, step, task, place }: Readonly<Props>) {
  const { search } = useLocation()
  const groups = useQuery(groupsOfTaskQuery(job, step, task)).data
  const own = groups?.filter(({ episode }) => episode === place.episode) ?? []
  return (
    <nav aria-label={text.group.path} className="min-h-12 overflow-x-auto">
      <ol className="flex w-max gap-1.5 p-0.5">
        {own.map((group) => {
          const isHere = isSamePlace(group, place)
          return (
            <li key={`${group.agent}/${group.turn}`}>
              <Link
                to={{ pathname: groupAddress(job, step, group), search }}
                aria-current={isHere ? 'page' : undefined}
                className={cx(
                  'flex flex-col rounded-md border px-2.5 py-1 text-xs',
                  isHere
                    ? 'border-accent bg-accent-soft'
                    : 'border-line bg-surface-1 hover:bg-surface-2',
                )}
              >
                <span className="text-ink-3">{text.filters.aTurn(group.turn)}</span>
                <span className="font-medium">
                  {agentName(group.agent)}{' '}
                  <span className="font-normal text-ink-2">
                    {formatMetric(spreadOf(group.rewards).best)}
                  </span>
                </span>
              </Link>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
