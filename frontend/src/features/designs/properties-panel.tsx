import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalSpaceAround,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalSpaceAround,
  Copy,
  Trash2,
  type LucideIcon,
} from 'lucide-react'

import { attach } from '@/components/attach/attachments'
import { useDropped } from '@/components/attach/use-dropped'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { MenuChoice } from '@/components/menu-choice'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { Tooltip } from '@/components/tooltip'

import { AgentEditor } from './agent-editor'
import { AgentFacts } from './agent-facts'
import { distinctNamesOf, namesOf } from './agent-names'
import { duplicateSelection, removeSelection } from './design-actions'
import {
  questionFiles,
  useChosen,
  useDesign,
  useDesignStore,
  useIsScript,
  useSpec,
} from './design-store'
import { text } from '@/strings/designs'
import {
  align,
  distribute,
  edgeId,
  likelyVoters,
  setAnswer,
  setSummary,
  setVote,
  SIDES,
  type DesignSpec,
  type Side,
} from './edits'
import { ProblemList } from './problem-list'
import { RunBox } from './run-box'
import { GHOST_ID } from './ghost'
import { TurnPart } from './turn-part'
import { useProblems } from './use-problems'
import { useReveal } from './use-reveal'
import { useRunCommand, useRunDesign, type RunDesign } from './use-run-design'

const words = text.panel

interface Props {
  id: string
  readOnly: boolean
  run: RunDesign
  /** Files are dragged over the page. */
  isTarget: boolean
}

/** What is chosen, to be changed; with nothing chosen the design as a whole, and the way to run it. */
export function PropertiesPanel({ id, readOnly }: Readonly<Omit<Props, 'run' | 'isTarget'>>) {
  const run = useRunDesign(id)
  useRunCommand(readOnly, run)
  const store = useDesignStore()
  const isTarget = useDropped(!readOnly, (files) => {
    // They stand with the question, which is shown with nothing chosen.
    store.getState().select({})
    attach(questionFiles(store), files)
  })
  const spec = useSpec()
  const chosen = useChosen()
  const selection = useDesign((state) => state.selection)
  const agent = spec.agents.find((each) => each.id === chosen)
  if (agent)
    return readOnly ? <AgentFacts agent={agent} /> : <AgentEditor key={agent.id} agent={agent} />
  if (selection.agents.size > 1 && !readOnly) return <Several ids={selection.agents} />
  if (selection.edges.size > 0 && !readOnly)
    return <Connections ids={selection.edges} spec={spec} />
  return <WholeDesign id={id} readOnly={readOnly} run={run} isTarget={isTarget} />
}

function WholeDesign({ id, readOnly, run, isTarget }: Readonly<Props>) {
  const problems = useProblems()
  const isScript = useIsScript()
  return (
    <div className="flex flex-col gap-5 p-4">
      {readOnly ? (
        <p className="text-ink-2">{text.readOnly}</p>
      ) : (
        <RunBox id={id} design={run} isTarget={isTarget} />
      )}
      {readOnly ? null : <Answer />}
      {readOnly ? null : <TurnPart />}
      {isScript && !readOnly ? null : (
        <section className="flex flex-col gap-2">
          <h2 className="text-sm font-semibold">{text.problems.title}</h2>
          {problems.length === 0 ? (
            <p className="text-xs text-ink-2">{text.problems.none}</p>
          ) : (
            <ProblemList problems={problems} linked />
          )}
        </section>
      )}
    </div>
  )
}

const LAST = ':last'
const VOTE = ':vote'

function Answer() {
  const spec = useSpec()
  const { edit } = useDesignStore().getState()
  const reveal = useReveal()
  if (spec.agents.length === 0) return null
  const nameOf = namesOf(spec)
  const voting = spec.vote.length > 0
  const choose = (key: string): void =>
    edit((design) =>
      key === VOTE
        ? setVote(design, likelyVoters(design))
        : setAnswer(design, key === LAST ? null : key),
    )
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-semibold">{text.answer.title}</h2>
      <Select
        label={text.answer.label}
        isDisabled={spec.summary}
        options={[
          { key: LAST, label: text.answer.last },
          { key: VOTE, label: text.answer.vote },
          ...spec.agents.map(({ id }) => ({ key: id, label: nameOf(id), description: id })),
        ]}
        value={voting ? VOTE : (spec.answer_from ?? LAST)}
        onChange={choose}
      />
      {voting ? (
        <div className="flex flex-col items-start gap-1">
          <span className="text-xs text-ink-2">
            {text.answer.voteOf(spec.vote.map(distinctNamesOf(spec)).join(', '))}
          </span>
          <MenuChoice
            label={text.answer.voters}
            choices={spec.agents.map(({ id }) => ({
              key: id,
              label: nameOf(id),
              description: id,
            }))}
            chosen={spec.vote}
            atLeastOne
            onChange={(ids) => edit((design) => setVote(design, ids))}
          />
        </div>
      ) : null}
      <Checkbox
        isSelected={spec.summary}
        onChange={(summary) => {
          edit((design) => setSummary(design, summary))
          if (summary) reveal(GHOST_ID)
        }}
      >
        {text.answer.summary}
      </Checkbox>
      {spec.summary ? (
        <NumberField
          label={text.answer.summaryTemperature}
          value={spec.summary_temperature}
          live
          minimum={0}
          maximum={2}
          onChange={(next) =>
            edit((design) => ({ ...design, summary_temperature: next ?? 0 }), 'summary temperature')
          }
        />
      ) : null}
    </section>
  )
}

const ICONS: Readonly<Record<Side, LucideIcon>> = {
  left: AlignStartVertical,
  centre: AlignCenterVertical,
  right: AlignEndVertical,
  top: AlignStartHorizontal,
  middle: AlignCenterHorizontal,
  bottom: AlignEndHorizontal,
}

function Several({ ids }: Readonly<{ ids: ReadonlySet<string> }>) {
  const store = useDesignStore()
  const { edit } = store.getState()
  return (
    <div className="flex flex-col gap-4 p-4">
      <h2 className="text-sm font-semibold">{words.agents(ids.size)}</h2>
      <div className="flex gap-2">
        <Button size="sm" icon={Copy} onPress={() => duplicateSelection(store)}>
          {words.duplicate}
        </Button>
        <RemoveButton />
      </div>
      <div className="flex flex-wrap gap-1.5" role="group" aria-label={words.align}>
        {SIDES.map((side) => {
          const Icon = ICONS[side]
          return (
            <Tooltip key={side} content={`${words.align}: ${words.sides[side]}`}>
              <Button
                size="sm"
                aria-label={`${words.align}: ${words.sides[side]}`}
                icon={Icon}
                onPress={() => edit((design) => align(design, ids, side))}
              />
            </Tooltip>
          )
        })}
        {(['x', 'y'] as const).map((axis) => {
          const Icon = axis === 'x' ? AlignHorizontalSpaceAround : AlignVerticalSpaceAround
          return (
            <Tooltip key={axis} content={words.distribute[axis]}>
              <Button
                size="sm"
                aria-label={words.distribute[axis]}
                isDisabled={ids.size < 3}
                icon={Icon}
                onPress={() => edit((design) => distribute(design, ids, axis))}
              />
            </Tooltip>
          )
        })}
      </div>
    </div>
  )
}

function Connections({ ids, spec }: Readonly<{ ids: ReadonlySet<string>; spec: DesignSpec }>) {
  const nameOf = namesOf(spec)
  const chosen = spec.edges.filter((edge) => ids.has(edgeId(edge)))
  return (
    <div className="flex flex-col items-start gap-4 p-4">
      <h2 className="text-sm font-semibold">
        {chosen.length === 1 ? words.edge : words.edges(chosen.length)}
      </h2>
      <ul className="text-ink-2">
        {chosen.map((edge) => (
          <li key={edgeId(edge)}>{words.edgeBody(nameOf(edge.target), nameOf(edge.source))}</li>
        ))}
      </ul>
      <RemoveButton />
    </div>
  )
}

function RemoveButton() {
  const store = useDesignStore()
  return (
    <Button size="sm" icon={Trash2} onPress={() => removeSelection(store)}>
      {words.remove}
    </Button>
  )
}
