import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Scale } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { useIdempotencyKey } from '@/lib/idempotency-key'

import { useDesign, useSpec } from './design-store'
import { text } from './design-strings'
import { useSaverStore } from './saver-context'
import { useProblems } from './use-problems'

const words = text.run

/** Puts a question to the design as it is now, saved first, and goes to the run. */
export function RunBox({ id }: Readonly<{ id: string }>) {
  const endpoints = useQuery(queries.endpoints).data ?? []
  const known = endpoints.filter(({ enabled }) => enabled !== false)
  const [query, setQuery] = useState('')
  const [wanted, setWanted] = useState<string | null>(null)
  const endpoint = wanted ?? (known.find((each) => each.is_default) ?? known[0])?.key ?? null
  const [step, setStep] = useState(false)
  const breakpoints = useDesign((state) => state.breakpoints)
  const stops = useSpec().agents.filter((agent) => breakpoints.has(agent.id))
  const isBlocked = useProblems().some(({ severity }) => severity === 'error')
  const saver = useSaverStore()
  const key = useIdempotencyKey()
  const client = useQueryClient()
  const navigate = useNavigate()
  const run = useMutation({
    mutationFn: async () => {
      const revision = await saver.flush()
      const body = {
        query,
        method: 'design',
        design: id,
        ...(endpoint ? { endpoint } : {}),
        ...(stops.length > 0 ? { breakpoints: stops.map((agent) => agent.id) } : {}),
        ...(step ? { step } : {}),
      }
      // The draft is part of what is asked: changed since, the same words are another request.
      const header = key.header({ ...body, revision })
      return unwrap(api.POST('/api/runs', { params: { header }, body }))
    },
    onSuccess: async ({ id: made }) => {
      key.answered()
      void client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(`/runs/${made}`)
    },
    onError: (error) => key.failed(error),
  })
  const evaluate = async (): Promise<void> => {
    await saver.flush().catch(() => null)
    await navigate(`/evaluations/new?design=${id}`)
  }
  const mayRun = query.trim() !== '' && !isBlocked
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{words.title}</h3>
      <TextArea
        label={words.query}
        placeholder={words.placeholder}
        value={query}
        onChange={setQuery}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayRun) run.mutate()
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
        onChange={setWanted}
      />
      <Checkbox isSelected={step} onChange={setStep}>
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
          onPress={() => run.mutate()}
        >
          {words.submit}
        </Button>
        <Button
          isDisabled={isBlocked}
          icon={<Scale size={14} aria-hidden />}
          onPress={() => void evaluate()}
        >
          {words.evaluate}
        </Button>
        {isBlocked ? <p className="text-xs text-ink-2">{words.blocked}</p> : null}
      </div>
    </section>
  )
}
