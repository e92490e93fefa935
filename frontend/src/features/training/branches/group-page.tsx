import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'

import { QueryState } from '@/components/query-state'
import { FilterSelect } from '@/components/filter-select'
import { TextLink } from '@/components/text-link'
import { cx } from '@/components/cx'
import { formatCount } from '@/lib/format'
import { useParam, useSetParams } from '@/lib/use-param'
import { text } from '@/strings/branches'

import { EpisodePath } from './episode-path'
import { agentName, episodeNumber, stepAddress, taskNumber } from './group'
import { GroupView } from './group-view'
import { hasRatio, HEATS, scaleOf, type Heat } from './heat'
import { HeatLegend } from './heat-legend'
import { StepFrame } from './step-frame'
import {
  groupQuery,
  groupsOfTaskQuery,
  stepsOfTaskQuery,
  type Branches,
  type Place,
} from './use-branches'

const { group: words } = text

/** The branches of one group side by side. The same task at another step can stand beside them. */
export function GroupPage() {
  const { id = '', step: stepText = '', episode = '', agent = '', turn = '' } = useParams()
  const [search] = useSearchParams()
  const step = Number(stepText)
  const place: Place = { episode: Number(episode), agent, turn: Number(turn) }
  const group = useQuery(groupQuery(id, step, place))
  const rest = new URLSearchParams(search)
  for (const name of ['with', 'heat']) rest.delete(name)
  return (
    <StepFrame
      job={id}
      step={step}
      title={words.title(agentName(agent), place.turn)}
      crumb={
        <TextLink to={{ pathname: stepAddress(id, step), search: rest.toString() }}>
          {text.title(formatCount(step))}
        </TextLink>
      }
    >
      <QueryState of={group} />
      {group.data ? <Loaded job={id} step={step} place={place} group={group.data} /> : null}
    </StepFrame>
  )
}

interface Props {
  job: string
  step: number
  place: Place
  group: Branches
}

function Loaded({ job, step, place, group }: Readonly<Props>) {
  const [heatText, setHeat] = useParam('heat')
  const other = useOther(job, group, place)
  const branches = [...group.branches, ...(other.group?.branches ?? [])]
  const ratio = hasRatio(branches)
  const wanted = HEATS.find((heat) => heat === heatText) ?? (ratio ? 'ratio' : 'advantage')
  const heat: Heat = wanted === 'ratio' && !ratio ? 'advantage' : wanted
  const scale = scaleOf(heat, branches)
  const shown = { job, place, scale, isBeside: other.step !== null }
  return (
    <>
      <p className="-mt-3 text-ink-2">
        {text.episode(episodeNumber(group.episode))}, {text.task(taskNumber(group.task))}
      </p>
      <EpisodePath job={job} step={step} task={group.task} place={place} />
      <div className="flex flex-col items-start justify-between gap-x-6 gap-y-3 rounded-lg border border-line bg-surface-1 px-4 py-2.5 lg:flex-row">
        <HeatLegend scale={scale} hasRatio={ratio} onChange={setHeat} />
        <CompareSelect steps={other.steps} step={step} chosen={other.step} />
      </div>
      <div className={cx('grid items-start gap-4', shown.isBeside && 'lg:grid-cols-2')}>
        <GroupView {...shown} step={step} group={group} beside={null} />
        {other.step === null ? null : other.group ? (
          <GroupView {...shown} step={other.step} group={other.group} beside={group} />
        ) : other.isPending ? (
          <QueryState of={other.query} />
        ) : (
          <p className="text-ink-2">
            {words.noTurn(formatCount(other.step), agentName(place.agent), place.turn)}
          </p>
        )}
      </div>
    </>
  )
}

/** The group of the same task, agent and turn at the step that the address names. */
function useOther(job: string, group: Branches, { agent, turn }: Place) {
  const [withText] = useParam('with')
  const named = withText === null || withText === '' ? Number.NaN : Number(withText)
  const step = Number.isSafeInteger(named) && named >= 0 ? named : null
  const steps = useQuery(stepsOfTaskQuery(job, group.task))
  const groups = useQuery({
    ...groupsOfTaskQuery(job, step ?? 0, group.task),
    enabled: step !== null,
  })
  const found = groups.data?.find((each) => each.agent === agent && each.turn === turn)
  const one = useQuery({
    ...groupQuery(job, step ?? 0, { episode: found?.episode ?? 0, agent, turn }),
    enabled: found !== undefined,
  })
  const query = groups.isSuccess && found ? one : groups
  return {
    step,
    steps: steps.data,
    group: found ? one.data : undefined,
    isPending: groups.isPending || groups.isError || (found !== undefined && !one.isSuccess),
    query,
  }
}

interface CompareProps {
  /** Those that played the task; undefined while they load. */
  steps: readonly number[] | undefined
  step: number
  chosen: number | null
}

function CompareSelect({ steps, step, chosen }: Readonly<CompareProps>) {
  const change = useSetParams()
  const others = steps?.filter((each) => each !== step)
  if (others?.length === 0 && chosen === null)
    return <p className="text-xs text-ink-3">{words.compareNever}</p>
  return (
    <FilterSelect
      any={words.compareNone}
      label={words.compareHelp}
      options={(others ?? []).map((each) => ({
        key: String(each),
        label: words.compareOf(formatCount(each)),
      }))}
      value={chosen === null ? null : String(chosen)}
      onChange={(key) => change({ with: key }, { isStep: true })}
      className="w-56 shrink-0"
    />
  )
}
