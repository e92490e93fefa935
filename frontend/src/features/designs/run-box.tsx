import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { GitCompareArrows, Play, Scale } from 'lucide-react'
import { Link, useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { useIdempotencyKey } from '@/lib/idempotency-key'
import { notifyProblem } from '@/lib/toasts'

import { useDesign, useDesignStore, useSpec } from './design-store'
import { text } from './design-strings'
import { useSaver, useSaverStore } from './saver-context'
import { useProblems } from './use-problems'

const words = text.run

type Original = components['schemas']['Run']

/** Puts a question to the design as it is now, saved first, and goes to the run. The question of the
 * run that it was taken from stands there already, to be asked just as it was there. */
export function RunBox({ id }: Readonly<{ id: string }>) {
  const endpoints = useQuery(queries.endpoints).data ?? []
  const known = endpoints.filter(({ enabled }) => enabled !== false)
  const original = useOriginal()
  const isOriginalGone = useSaver(({ server }) => server.origin === 'run' && !server.from_run)
  const question = useDesign((state) => state.question)
  const { ask } = useDesignStore().getState()
  const { step } = question
  const query = question.query ?? original?.query ?? ''
  const again = original?.query === query ? original : null
  const asThere = known.find(({ key }) => key === original?.endpoint)?.key
  const endpoint =
    question.endpoint ?? asThere ?? (known.find((each) => each.is_default) ?? known[0])?.key ?? null
  const breakpoints = useDesign((state) => state.breakpoints)
  const stops = useSpec().agents.filter((agent) => breakpoints.has(agent.id))
  const isBlocked = useProblems().some(({ severity }) => severity === 'error')
  const saver = useSaverStore()
  const key = useIdempotencyKey()
  const client = useQueryClient()
  const navigate = useNavigate()
  const run = useMutation({
    mutationFn: async (beside: Original | null) => {
      const revision = await saver.flush()
      const body = {
        query,
        method: 'design',
        design: id,
        ...(endpoint ? { endpoint } : {}),
        ...(again ? { seed: again.seed, judged_as: again.id } : {}),
        ...(stops.length > 0 ? { breakpoints: stops.map((agent) => agent.id) } : {}),
        ...(step ? { step } : {}),
      }
      // The draft is part of what is asked: changed since, the same words are another request.
      const header = key.header({ ...body, revision })
      const made = await unwrap(api.POST('/api/runs', { params: { header }, body }))
      return beside ? `/runs/compare?left=${beside.id}&right=${made.id}` : `/runs/${made.id}`
    },
    onSuccess: async (address) => {
      key.answered()
      void client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(address)
    },
    onError: (error) => key.failed(error),
  })
  const evaluate = async (): Promise<void> => {
    // What is evaluated is what is on the screen.
    await saver.flush()
    await navigate(`/evaluations/new?design=${id}`)
  }
  const mayRun = query.trim() !== '' && !isBlocked
  return (
    <section className="flex flex-col gap-2">
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
        label={words.query}
        placeholder={words.placeholder}
        value={query}
        help={again ? words.again(again.seed, again.reference) : undefined}
        onChange={(written) => ask({ query: written })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayRun) run.mutate(null)
          else event.continuePropagation()
        }}
      />
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
      <Checkbox isSelected={step} onChange={(every) => ask({ step: every })}>
        {words.step}
      </Checkbox>
      {stops.length > 0 && !step ? (
        <p className="text-xs text-ink-2">
          {words.stops(stops.map(({ role }) => role.name || text.canvas.unnamed).join(', '))}
        </p>
      ) : null}
      {run.isError ? <ErrorPanel problem={toApiError(run.error)} /> : null}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          variant="primary"
          isDisabled={!mayRun}
          isPending={run.isPending}
          icon={<Play size={14} aria-hidden />}
          onPress={() => run.mutate(null)}
        >
          {words.submit}
        </Button>
        {again ? (
          <Button
            isDisabled={!mayRun || run.isPending}
            icon={<GitCompareArrows size={14} aria-hidden />}
            onPress={() => run.mutate(again)}
          >
            {words.beside}
          </Button>
        ) : null}
        <Button
          isDisabled={isBlocked}
          icon={<Scale size={14} aria-hidden />}
          onPress={() => {
            evaluate().catch((thrown: unknown) => notifyProblem(toApiError(thrown)))
          }}
        >
          {words.evaluate}
        </Button>
        {isBlocked ? <p className="text-xs text-ink-2">{words.blocked}</p> : null}
      </div>
    </section>
  )
}

/** The run whose graph this design began as, if it is still there. */
function useOriginal(): Original | null {
  const id = useSaver(({ server }) => server.from_run)
  return useQuery({ ...queries.run(id ?? ''), enabled: id !== null }).data ?? null
}
