import { GitCompareArrows, Play, Scale } from 'lucide-react'
import { Link, useNavigate } from 'react-router'

import { AttachedFiles } from '@/components/attach/attached-files'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { cx } from '@/components/cx'
import { Refusal } from '@/components/query-state'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { toApiError } from '@/lib/api/errors'
import { notifyProblem } from '@/lib/toasts'

import { QUESTION_CLASS } from './canvas-focus'
import { questionFiles, useDesignStore, useIsScript } from './design-store'
import { text } from '@/strings/designs'

import { useSaver, useSaverStore } from './saver-context'
import type { RunDesign } from './use-run-design'

const words = text.run

interface Props {
  id: string
  design: RunDesign
  /** Files are dragged over the page. */
  isTarget: boolean
}

/** What is asked of the design, and of whom. */
export function RunBox({ id, design, isTarget }: Readonly<Props>) {
  const { query, files, endpoint, known, original, again, step, stops, isBlocked, mayRun, run } =
    design
  const isOriginalGone = useSaver(({ server }) => server.origin === 'run' && !server.from_run)
  const isScript = useIsScript()
  const store = useDesignStore()
  const { ask } = store.getState()
  const saver = useSaverStore()
  const navigate = useNavigate()
  const evaluate = async (): Promise<void> => {
    // What is evaluated is what is on the screen.
    await saver.flush()
    await navigate(`/evaluations/new?design=${id}`)
  }
  return (
    <section
      className={cx(
        'flex flex-col gap-2 rounded-md',
        isTarget && 'outline-2 outline-offset-8 outline-accent',
      )}
    >
      <h2 className="text-sm font-semibold">{words.title}</h2>
      {original ? (
        <p className="text-xs text-ink-2">
          {words.original}.{' '}
          <Link to={`/runs/${original.id}`} className="text-accent underline">
            {words.openOriginal}
          </Link>
        </p>
      ) : isOriginalGone ? (
        <p className="text-xs text-ink-2">{words.originalGone}</p>
      ) : null}
      <TextArea
        className={QUESTION_CLASS}
        label={words.query}
        placeholder={words.placeholder}
        value={query}
        help={
          again
            ? words.again(
                again.seed,
                again.reference,
                again.files.map(({ name }) => name),
              )
            : undefined
        }
        onChange={(written) => ask({ query: written })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayRun) run.mutate(null)
          else event.continuePropagation()
        }}
      />
      <AttachedFiles files={files} kept={questionFiles(store)} />
      <Select
        label={words.endpoint}
        options={known.map(({ key: name, name: label, model }) => ({
          key: name,
          label: label || name,
          description: model,
        }))}
        value={endpoint}
        onChange={(chosen) => ask({ endpoint: chosen })}
      />
      {isScript ? null : (
        <Checkbox isSelected={step} onChange={(every) => ask({ step: every })}>
          {words.step}
        </Checkbox>
      )}
      {stops.length > 0 && !step ? (
        <p className="text-xs text-ink-2">
          {words.stops(stops.map(({ role }) => role.name || text.canvas.unnamed).join(', '))}
        </p>
      ) : null}
      <Refusal of={run} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          variant="primary"
          isDisabled={!mayRun && !run.isPending}
          isPending={run.isPending}
          icon={Play}
          onPress={() => run.mutate(null)}
        >
          {words.submit}
        </Button>
        {again ? (
          <Button isDisabled={!mayRun} icon={GitCompareArrows} onPress={() => run.mutate(again)}>
            {words.beside}
          </Button>
        ) : null}
        <Button
          isDisabled={isBlocked}
          icon={Scale}
          onPress={() => {
            evaluate().catch((thrown: unknown) => notifyProblem(toApiError(thrown)))
          }}
        >
          {words.evaluate}
        </Button>
        {isBlocked ? (
          <p className="text-xs text-ink-2">{isScript ? words.blockedScript : words.blocked}</p>
        ) : null}
      </div>
    </section>
  )
}
