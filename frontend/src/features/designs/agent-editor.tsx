import { useQuery } from '@tanstack/react-query'
import { Copy, Trash2 } from 'lucide-react'

import { IconButton } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Disclosure } from '@/components/disclosure'
import { FamilyMark } from '@/components/family-mark'
import { MenuChoice } from '@/components/menu-choice'
import { NumberField } from '@/components/number-field'
import { described, endpointOptions } from '@/components/options'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { TextField } from '@/components/text-field'
import { queries } from '@/lib/api/queries'

import { namesOf } from './agent-names'
import { AGENT_FIELDS } from './canvas-focus'
import { duplicateSelection, removeSelection } from './design-actions'
import { useDesign, useDesignStore, useSpec } from './design-store'
import { text } from '@/strings/designs'

import {
  changeAgent,
  changeRole,
  readersOf,
  readsOf,
  samplesOf,
  setAnswer,
  setReads,
  setTemperature,
  setVote,
  type DesignAgent,
  type DraftRole,
} from './edits'
import { ProblemList } from './problem-list'
import { asksPerson, isOwnTool, ownTools, withTools } from './roles'
import { toolsQuery } from './use-designs'
import { useProblemsOf } from './use-problems'

const words = text.panel
const OF_THE_RUN = ':run'

/** One agent: what it is told, what it may use, whom it asks and whom it reads. */
export function AgentEditor({ agent }: Readonly<{ agent: DesignAgent }>) {
  const store = useDesignStore()
  const { edit } = store.getState()
  const found = useProblemsOf(agent.id)
  const { id, role } = agent
  const change = (part: Partial<DraftRole>): void =>
    edit((design) => changeRole(design, id, part), `${id} ${Object.keys(part).join(' ')}`)
  return (
    <div {...AGENT_FIELDS} className="flex flex-col gap-3 p-4">
      <header className="flex items-center justify-between gap-2">
        <FamilyMark family={role.family} />
        <span className="flex gap-1">
          <IconButton
            label={words.duplicate}
            icon={Copy}
            onPress={() => duplicateSelection(store)}
          />
          <IconButton label={words.remove} icon={Trash2} onPress={() => removeSelection(store)} />
        </span>
      </header>
      <ProblemList problems={found} />
      <TextField
        label={words.fields.name}
        value={role.name}
        maxLength={120}
        onChange={(name) => change({ name })}
      />
      <TextArea
        label={words.fields.prompt}
        help={words.help.prompt}
        value={role.prompt}
        rows={6}
        maxLength={20_000}
        onChange={(prompt) => change({ prompt })}
      />
      <Reads agent={agent} />
      <EndpointChoice agent={agent} />
      <Temperature agent={agent} />
      <Tools role={role} onChange={(tools) => change({ tools })} />
      <AnswersHere id={id} />
      <StopsHere id={id} />
      <Disclosure title={words.more}>
        <div className="flex flex-col gap-3">
          <TextArea
            label={words.fields.outputForm}
            help={words.help.outputForm}
            value={role.output_form}
            rows={2}
            maxLength={2_000}
            onChange={(output_form) => change({ output_form })}
          />
          <TextArea
            label={words.fields.refuse}
            help={words.help.refuse}
            value={role.refuse_condition}
            rows={2}
            maxLength={2_000}
            onChange={(refuse_condition) => change({ refuse_condition })}
          />
        </div>
      </Disclosure>
    </div>
  )
}

function StopsHere({ id }: Readonly<{ id: string }>) {
  const stops = useDesign((state) => state.breakpoints.has(id))
  const { toggleBreakpoint } = useDesignStore().getState()
  return (
    <Checkbox isSelected={stops} onChange={() => toggleBreakpoint(id)}>
      {words.stopsHere}
    </Checkbox>
  )
}

/** Who is read can be chosen here, too: an arrow needs a mouse, this needs none. */
function Reads({ agent }: Readonly<{ agent: DesignAgent }>) {
  const spec = useSpec()
  const { edit } = useDesignStore().getState()
  const nameOf = namesOf(spec)
  const readers = readersOf(spec, agent.id).map(nameOf)
  const sources = readsOf(spec, agent.id)
  return (
    <div className="flex flex-col items-start gap-1">
      <MenuChoice
        label={words.fields.reads}
        empty={words.nobodyElse}
        choices={spec.agents
          .filter(({ id }) => id !== agent.id)
          .map(({ id }) => ({ key: id, label: nameOf(id), description: id }))}
        chosen={sources}
        onChange={(chosen) => edit((design) => setReads(design, agent.id, chosen))}
      />
      <p className="text-xs text-ink-3">
        {sources.length > 0 ? words.reads(sources.map(nameOf).join(', ')) : words.readsNobody}{' '}
        {readers.length > 0 ? words.readBy(readers.join(', ')) : words.readByNobody}
      </p>
    </div>
  )
}

function EndpointChoice({ agent }: Readonly<{ agent: DesignAgent }>) {
  const endpoints = useQuery(queries.endpoints).data ?? []
  const { edit } = useDesignStore().getState()
  const known = endpoints.filter(({ enabled }) => enabled !== false)
  const missing = known.some(({ key }) => key === agent.endpoint) ? null : agent.endpoint
  return (
    <Select
      label={words.fields.endpoint}
      options={[
        { key: OF_THE_RUN, label: words.runsEndpoint },
        ...endpointOptions(known),
        ...(missing === null ? [] : [{ key: missing, label: missing }]),
      ]}
      value={agent.endpoint ?? OF_THE_RUN}
      onChange={(key) =>
        edit((design) =>
          changeAgent(design, agent.id, { endpoint: key === OF_THE_RUN ? null : key }),
        )
      }
    />
  )
}

function Temperature({ agent }: Readonly<{ agent: DesignAgent }>) {
  const spec = useSpec()
  const { edit } = useDesignStore().getState()
  const { id, temperature, sample } = agent
  return (
    <NumberField
      label={words.fields.temperature}
      value={temperature}
      live
      minimum={0}
      maximum={2}
      help={
        temperature === 0
          ? words.greedy
          : sample === null
            ? words.runsSeed
            : words.sample(samplesOf(spec).length, sample)
      }
      onChange={(next) =>
        edit((design) => setTemperature(design, id, next ?? 0), `${id} temperature`)
      }
    />
  )
}

interface ToolsProps {
  role: DraftRole
  onChange: (tools: string[]) => void
}

function Tools({ role, onChange }: Readonly<ToolsProps>) {
  const tools = (useQuery(toolsQuery).data ?? []).filter(({ key }) => isOwnTool(key))
  const chosen = ownTools(role)
  const asks = asksPerson(role)
  const unknown = chosen.filter((key) => tools.every((tool) => tool.key !== key))
  const choices = [...described(tools), ...unknown.map((key) => ({ key, label: key }))]
  const names = choices.filter(({ key }) => chosen.includes(key)).map(({ label }) => label)
  return (
    <>
      <div className="flex flex-col items-start gap-1">
        <MenuChoice
          label={words.fields.tools}
          choices={choices}
          chosen={chosen}
          onChange={(keys) => onChange(withTools(keys, asks))}
        />
        <p className="text-xs text-ink-3">
          {names.length > 0 ? words.usesTools(names.join(', ')) : words.usesNoTools}
        </p>
      </div>
      <Checkbox
        isSelected={asks}
        help={words.personHelp}
        onChange={(isAsked) => onChange(withTools(chosen, isAsked))}
      >
        {words.person}
      </Checkbox>
    </>
  )
}

function AnswersHere({ id }: Readonly<{ id: string }>) {
  const { answer_from: answering, vote } = useSpec()
  const { edit } = useDesignStore().getState()
  if (vote.length > 0) {
    return (
      <Checkbox
        isSelected={vote.includes(id)}
        onChange={(votes) =>
          edit((design) =>
            setVote(
              design,
              votes ? [...design.vote, id] : design.vote.filter((voter) => voter !== id),
            ),
          )
        }
      >
        {words.votesHere}
      </Checkbox>
    )
  }
  return (
    <Checkbox
      isSelected={answering === id}
      onChange={(chosen) => edit((design) => setAnswer(design, chosen ? id : null))}
    >
      {words.answersHere}
    </Checkbox>
  )
}
