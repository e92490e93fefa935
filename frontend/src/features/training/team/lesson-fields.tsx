import { Card } from '@/components/card'
import { ConfigForm } from '@/components/config-form'
import { Disclosure } from '@/components/disclosure'
import { Select } from '@/components/select'
import type { TrainableMethod } from '@/features/training/use-training'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import type { Game } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { text } from '@/strings/team'

import {
  isFitting,
  ofDataset,
  ofGame,
  optionFields,
  type Dataset,
  type Fitting,
  type Model,
  type TeamDraft,
} from './team'

export interface FieldsProps {
  draft: TeamDraft
  onChange: (draft: TeamDraft) => void
  error: ApiError | null
}

interface LessonProps extends FieldsProps {
  games: readonly Game[]
  datasets: readonly Dataset[]
  models: readonly Model[]
  method: TrainableMethod
  /** Of the draft, unless it has a dataset. */
  game: Game
}

/** In the keys of options, before that of a game or dataset. */
const [GAME, DATASET] = ['game:', 'dataset:']

/** What the team learns: a game with its options, or one of the studio's datasets. */
export function LessonFields(props: Readonly<LessonProps>) {
  const { games, datasets, game, draft, onChange, error } = props
  const fitting = datasets.filter(isFitting)
  const problem = fieldMessage(error, 'dataset')
  const choose = (chosen: string): void => {
    const dataset = fitting.find(({ key }) => DATASET + key === chosen)
    onChange(dataset ? ofDataset(draft, dataset, props) : ofGame(draft, chosen.slice(GAME.length)))
  }
  return (
    <Card title={text.what}>
      <div className="grid items-start gap-x-3 gap-y-4 sm:grid-cols-2">
        <Select
          label={text.lesson}
          options={[
            ...games.map(({ key, name, description }) => ({
              key: GAME + key,
              label: name,
              description,
            })),
            ...fitting.map((each) => ({
              key: DATASET + each.key,
              label: each.name,
              description: told(each),
            })),
          ]}
          value={draft.dataset ? DATASET + draft.dataset.key : GAME + game.key}
          onChange={choose}
          help={draft.dataset ? told(draft.dataset) : game.description}
          {...(problem === undefined ? {} : { error: problem })}
        />
        {draft.dataset ? null : (
          <ConfigForm
            fields={optionFields(game)}
            values={draft.options}
            onChange={(options) => onChange({ ...draft, options })}
            error={error}
            errorPath="options"
          />
        )}
      </div>
      <Misfits datasets={datasets} />
    </Card>
  )
}

const told = ({ team, tasks }: Fitting): string =>
  [text.agents(team.agents), text.tasks(tasks, formatCount(tasks))].join(' · ')

/** Datasets that no team can be trained on, each with the reason. */
function Misfits({ datasets }: Readonly<{ datasets: readonly Dataset[] }>) {
  const misfits = datasets.filter(({ problem }) => problem !== null)
  if (misfits.length === 0) return null
  return (
    <Disclosure title={text.misfits(misfits.length)} className="mt-3">
      <dl className="flex flex-col gap-2 text-sm">
        {misfits.map(({ key, name, problem }) => (
          <div key={key}>
            <dt className="font-medium">{name}</dt>
            <dd className="wrap-anywhere text-ink-2">
              {problem?.message} {problem?.remedy}
            </dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  )
}
