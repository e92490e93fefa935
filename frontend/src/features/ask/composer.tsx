import { useQueries, useQuery } from '@tanstack/react-query'
import { Dices, Play } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router'

import { AttachedFiles } from '@/components/attach/attached-files'
import { allSent, attach } from '@/components/attach/attachments'
import { useDropped } from '@/components/attach/use-dropped'
import { Badge } from '@/components/badge'
import { Button, IconButton } from '@/components/button'
import { cx } from '@/components/cx'
import { CheckpointSelect } from '@/components/checkpoint-select'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { NumberField } from '@/components/number-field'
import { described, endpointOptions, poolOptions } from '@/components/options'
import { QueryError } from '@/components/query-state'
import { Select } from '@/components/select'
import { Working } from '@/components/working'
import { QUERY_MAX_CHARS } from '@/generated/events'
import { checkpointsQuery, checkpointUsed } from '@/lib/api/checkpoints'
import { useFieldsOf } from '@/lib/api/fields-of'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import { askable, queries, useMe, usualReplyTokens, type Method } from '@/lib/api/queries'
import { text as small } from '@/strings/small-writer'
import { strings } from '@/strings/studio'

import { draftFiles, MAX_SEED, rollSeed, useDraft } from './draft-store'
import { Options } from './options'
import { QueryBox } from './query-box'
import { smallWriter } from './small-writer'
import { SmallWriterNotice } from './small-writer-notice'
import { chosen, chosenConfig, requestOf, useAsk } from './use-ask'

/** The question with everything that decides how it is answered. */
export function Composer() {
  const [methods, endpoints, pools] = useQueries({
    queries: [queries.methods, queries.endpoints, queries.pools],
  })
  const draft = useDraft()
  const me = useMe()
  const mayRun = me?.permissions.run !== false
  const isTarget = useDropped(mayRun, (files) => attach(draftFiles, files))
  const ask = useAsk()
  const fieldsOf = useFieldsOf(methods.data)
  const [isOpen, setOpen] = useState(false)
  const options = useRef<HTMLButtonElement>(null)
  const error = ask.error ? toApiError(ask.error) : null
  const failed = [methods, endpoints, pools].find((query) => query.isError)
  if (failed) return <QueryError of={failed} />

  const choices = chosen(draft, fieldsOf, {
    methods: methods.data,
    endpoints: endpoints.data,
    pools: pools.data,
  })
  const ready = choices.method !== undefined && choices.endpoint !== undefined
  const tooSmall = smallWriter(draft, choices, endpoints.data ?? [])
  const shortReplies = usualReplyTokens(choices.method, choices.endpoint)
  const text = draft.query.trim()
  const canRun =
    ready && allSent(draft.files) && text !== '' && draft.query.length <= QUERY_MAX_CHARS * 2
  const submit = (): void => {
    if (canRun) ask.start(requestOf(draft, choices))
  }
  const takeExample = (setting: string, example: string): void => {
    if (!choices.method) return
    const { key } = choices.method
    draft.change({
      config: { ...draft.config, [key]: { ...draft.config[key], [setting]: example } },
    })
    setOpen(true)
    options.current?.focus() // the button that was pressed is gone with its notice
  }
  return (
    <div className="flex flex-col gap-3">
      <div
        className={cx(
          'rounded-lg border bg-surface-1 shadow-sheet',
          isTarget ? 'border-accent ring-2 ring-accent/40' : 'border-line',
        )}
      >
        <QueryBox
          value={draft.query}
          onChange={(query) => draft.change({ query, task: null })}
          onSubmit={submit}
          error={fieldMessage(error, 'query')}
        />
        <AttachedFiles
          files={draft.files}
          kept={draftFiles}
          error={fieldMessage(error, 'uploads')}
          isDisabled={!mayRun}
          className="px-4 pb-3"
        />
        {draft.task === null ? null : (
          <p className="px-4 pb-3 text-xs text-ink-2">{strings.ask.isTask}</p>
        )}
        <div className="grid grid-cols-2 gap-3 border-t border-line px-4 pt-3 pb-4 sm:grid-cols-[1.3fr_1.3fr_1fr_8rem]">
          <Select
            label={strings.ask.method}
            options={described(askable(methods.data))}
            value={choices.method?.key ?? null}
            onChange={(method) => draft.change({ method, checkpoint: null })}
            error={fieldMessage(error, 'method')}
          />
          <Select
            label={strings.ask.endpoint}
            options={endpointOptions(endpoints.data)}
            value={choices.endpoint?.key ?? null}
            onChange={(endpoint) => draft.change({ endpoint })}
            error={fieldMessage(error, 'endpoint')}
          />
          <Select
            label={strings.ask.pool}
            options={poolOptions(pools.data)}
            value={choices.method?.needs_pool ? (choices.pool?.key ?? null) : null}
            onChange={(pool) => draft.change({ pool })}
            isDisabled={!choices.method?.needs_pool}
            placeholder={strings.ask.noPoolNeeded}
            error={fieldMessage(error, 'pool')}
          />
          <SeedField error={error} />
          {choices.method?.learns ? (
            <CheckpointSelect
              method={choices.method.key}
              learns
              offersUntrained
              value={draft.checkpoint}
              onChange={(checkpoint) =>
                draft.change({ checkpoint, config: chosenConfig(draft, choices) })
              }
              error={fieldMessage(error, 'checkpoint')}
              className="col-span-2 sm:col-span-4 sm:max-w-sm"
            />
          ) : null}
        </div>
        {choices.method ? (
          <Options
            method={choices.method}
            fields={choices.fields}
            endpoint={choices.endpoint}
            error={error}
            isOpen={isOpen}
            onToggle={setOpen}
            triggerRef={options}
          />
        ) : null}
        <footer className="flex items-center gap-3 rounded-b-lg border-t border-line bg-surface-0 py-2.5 pr-2.5 pl-4">
          <div className="min-w-0 flex-1 text-xs text-ink-2">
            {choices.method ? (
              <MethodNote method={choices.method} checkpoint={draft.checkpoint} />
            ) : (
              <Working />
            )}
          </div>
          <kbd className="hidden font-sans text-xs whitespace-nowrap text-ink-3 sm:inline">
            {strings.ask.shortcut}
          </kbd>
          <Button
            variant="primary"
            size="lg"
            onPress={submit}
            isPending={ask.isPending}
            isDisabled={!canRun || !mayRun}
            icon={<Play size={14} aria-hidden fill="currentColor" />}
          >
            {strings.ask.submit}
          </Button>
        </footer>
      </div>
      {tooSmall ? <SmallWriterNotice writer={tooSmall} onExample={takeExample} /> : null}
      {choices.method && choices.endpoint && shortReplies !== null ? (
        <Notice
          tone="warn"
          title={small.circles.title(
            choices.endpoint.name || choices.endpoint.key,
            choices.method.name,
          )}
        >
          {small.circles.help(shortReplies)}
        </Notice>
      ) : null}
      {!mayRun ? <p className="text-ink-2">{strings.ask.viewerOnly}</p> : null}
      {endpoints.data && !choices.endpoint ? (
        <p className="text-ink-2">
          {strings.ask.noEndpoint}{' '}
          <Link to="/endpoints" className="text-accent underline underline-offset-2">
            {strings.ask.addEndpoint}
          </Link>
        </p>
      ) : null}
      {error && !isShownAtField(error) ? (
        <ErrorPanel title={strings.ask.problems} problem={error} onRetry={submit} />
      ) : null}
    </div>
  )
}

function SeedField({ error }: Readonly<{ error: ApiError | null }>) {
  const { seed, change } = useDraft()
  return (
    <NumberField
      label={strings.ask.seed}
      value={seed}
      onChange={(value) => change({ seed: value })}
      minimum={0}
      maximum={MAX_SEED}
      integer
      error={fieldMessage(error, 'seed')}
      trailing={
        <IconButton
          label={strings.ask.dice}
          onPress={() => change({ seed: rollSeed() })}
          icon={<Dices size={15} aria-hidden />}
        />
      }
    />
  )
}

interface NoteProps {
  method: Method
  checkpoint: string | null
}

function MethodNote({ method, checkpoint }: Readonly<NoteProps>) {
  const known = useQuery({ ...checkpointsQuery(method.key), enabled: method.learns }).data
  const used = checkpointUsed(known, checkpoint)
  return (
    <p>
      {method.learns && known && used?.trained !== true ? (
        <>
          <Badge tone="warn" title={strings.ask.untrainedHelp}>
            {strings.ask.untrained}
          </Badge>{' '}
        </>
      ) : null}
      {method.description}
    </p>
  )
}

const FIELDS =
  /^(query|uploads|reference|method|endpoint|pool|seed|checkpoint|method_config\..+|budget\..+)$/

/** Whether every problem has a field on the page that already shows it. */
const isShownAtField = (error: ApiError): boolean =>
  error.fields.length > 0 && error.fields.every(({ field }) => FIELDS.test(field))
