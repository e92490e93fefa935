import { useQuery } from '@tanstack/react-query'

import { Disclosure } from '@/components/disclosure'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import type { RunDetail } from '@/graph/frames'
import { checkpointQuery } from '@/lib/api/checkpoints'
import { queries } from '@/lib/api/queries'
import { formatCost, formatCount } from '@/lib/format'
import { sizeText } from '@/lib/model-size'
import { settingsOf, type Setting } from '@/lib/run-settings'
import { strings } from '@/strings/studio'

const { settings: words } = text
const { budgetFields, noLimit } = strings.ask

/** What the method was told to do and what it was allowed to use; folded away. */
export function RunSettings() {
  const run = useRun(({ view }) => view.detail)
  return run ? <SettingsOf run={run} /> : null
}

function SettingsOf({ run }: Readonly<{ run: RunDetail }>) {
  const method = useQuery(queries.methods).data?.find(({ key }) => key === run.method)
  const checkpoint = useQuery({
    ...checkpointQuery(run.checkpoint ?? ''),
    enabled: run.checkpoint !== null,
  }).data
  const settings = settingsOf(run, method, checkpoint?.run_config ?? {})
  const chosen = settings.filter(({ isChanged, isTrained }) => isChanged && !isTrained)
  return (
    <Disclosure
      title={words.title}
      hint={method ? words.changed(chosen.length) : null}
      level={2}
      className="-my-1.5"
      panelClassName="grid max-h-[40dvh] gap-x-16 gap-y-3 overflow-auto sm:grid-cols-[auto_auto] sm:justify-start"
    >
      <section className="min-w-0">
        <h3 className="pb-1 text-xs font-semibold text-ink-2">
          {words.method(method?.name ?? run.method)}
        </h3>
        {settings.length === 0 ? <p className="text-xs text-ink-3">{words.none}</p> : null}
        <dl className={`${LIST} lg:grid-cols-[auto_minmax(7rem,1fr)_auto_minmax(7rem,1fr)]`}>
          {inOrder(settings).map((setting) => (
            <Entry
              key={setting.key}
              name={setting.label}
              help={setting.help}
              value={shownValue(setting.value)}
              note={noteOf(setting)}
            />
          ))}
        </dl>
      </section>
      <section className="min-w-0">
        <h3 className="pb-1 text-xs font-semibold text-ink-2">{words.budget}</h3>
        <dl className={LIST}>
          {BUDGET.map((key) => {
            const limit = run.budget[key]
            return (
              <Entry
                key={key}
                name={budgetFields[key]}
                value={limit === null ? noLimit : limitText(key, limit)}
                note={null}
              />
            )
          })}
        </dl>
        <ModelOf run={run} />
      </section>
    </Disclosure>
  )
}

/** The model as its endpoint was set up then: its size decides what agents were told, extra fields
 * how it answers. */
function ModelOf({ run }: Readonly<{ run: RunDetail }>) {
  // The sample run and links of an older studio hold none.
  const model = run.asked_model as RunDetail['asked_model'] | undefined
  if (!model?.name) return null
  const extra = model.extra_body
  const isLimited = model.reply_tokens < run.budget.max_completion_tokens_per_call
  return (
    <>
      <h3 className="pt-3 pb-1 text-xs font-semibold text-ink-2">{words.model}</h3>
      <dl className={LIST}>
        <Entry name={words.model} value={model.name} note={null} />
        <Entry name={words.size} value={sizeText(model)} note={null} />
        <Entry name={words.context} value={formatCount(model.context_length)} note={null} />
        <Entry
          name={words.replyTokens}
          value={formatCount(model.reply_tokens)}
          note={isLimited ? words.byContext : null}
        />
        {Object.keys(extra).length > 0 ? (
          <Entry name={words.extraFields} value={JSON.stringify(extra)} note={null} />
        ) : null}
      </dl>
    </>
  )
}

const LIST = 'grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs'
const BUDGET = [
  'max_tokens',
  'max_seconds',
  'max_cost',
  'max_completion_tokens_per_call',
] as const satisfies readonly (keyof RunDetail['budget'])[]

const limitText = (key: (typeof BUDGET)[number], limit: number): string =>
  key === 'max_cost' ? formatCost(limit) : formatCount(limit)

/** What somebody chose comes first, defaults last. */
const inOrder = (settings: readonly Setting[]): Setting[] =>
  settings.toSorted((a, b) => rankOf(a) - rankOf(b))

const rankOf = ({ isChanged, isTrained }: Setting): number => (isTrained ? 1 : isChanged ? 0 : 2)

function noteOf({ isChanged, isTrained }: Setting): string {
  if (isTrained) return words.trained
  return isChanged ? words.chosen : words.usual
}

/** A value as people would say it. */
const WORDS: Readonly<Record<string, string>> = {
  '': words.nothing,
  null: words.nothing,
  true: words.yes,
  false: words.no,
}

const shownValue = (value: string): string => WORDS[value] ?? value

interface EntryProps {
  name: string
  help?: string
  value: string
  /** Where it comes from; null: said of none in this list. */
  note: string | null
}

function Entry({ name, help = '', value, note }: Readonly<EntryProps>) {
  const isUsual = note === words.usual
  return (
    <>
      <dt className="text-ink-3" title={help}>
        {name}
      </dt>
      <dd className={isUsual ? 'wrap-anywhere text-ink-3' : 'font-semibold wrap-anywhere'}>
        {value}
        {note === null || isUsual ? null : <span className="font-normal text-ink-3"> {note}</span>}
      </dd>
    </>
  )
}
