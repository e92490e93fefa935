import { useQuery } from '@tanstack/react-query'
import { FlaskConical, Footprints, MessageCircleQuestion } from 'lucide-react'
import { useParams } from 'react-router'

import { Button } from '@/components/button'
import { ButtonLink } from '@/components/button-link'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import { useMe } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'

import { TakeAway } from './run-actions'
import { StoredRun, type Recorded, type SharedRun } from './stored-run'
import { text as words } from '@/strings/tour'

import { useTourSeen } from './tour/seen'
import { useTour } from './tour/use-tour'

const text = words.sample

const SAMPLES = {
  mashost: async () => (await import('./sample-run.json')).default,
  reso: async () => (await import('./sample-reso.json')).default,
}
type Sampled = keyof typeof SAMPLES

/** Real runs that come with the pages, for who has no model yet or one that cannot plan: written by
 * `manage.py sample_run`. */
export function SamplePage() {
  const { method } = useParams()
  const sampled = method === 'reso' ? method : 'mashost'
  useTitle(text.label)
  const loaded = useQuery({
    queryKey: ['sample-run', sampled],
    queryFn: () => load(sampled),
    staleTime: Infinity,
    retry: false,
  })
  if (loaded.data) return <Sample key={sampled} {...loaded.data} />
  if (loaded.isPending) return <WorkingBlock />
  return (
    <div className="mx-auto w-full max-w-xl p-6">
      <QueryError of={loaded} />
    </div>
  )
}

function Sample({ shared, events }: Readonly<Recorded>) {
  const { method } = shared.run
  const { seen } = useTourSeen()
  const { tour, show } = useTour({ begins: method === 'mashost' && seen === false })
  const start = events.find(({ event }) => event.event === 'run_started')?.event
  const model = start?.event === 'run_started' ? start.model : ''
  return (
    <>
      <section
        aria-label={text.label}
        className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-accent-soft px-4 py-2 sm:px-6"
      >
        <FlaskConical size={16} aria-hidden className="shrink-0 text-accent" />
        <p className="min-w-0 flex-1 basis-60">
          <strong className="font-semibold">{text.label}.</strong> {text.about(model)}
        </p>
        <ButtonLink to={method === 'reso' ? '/sample' : '/sample/reso'} size="sm">
          {method === 'reso' ? text.ofMashost : text.ofReso}
        </ButtonLink>
        <Button size="sm" onPress={show} icon={Footprints}>
          {text.tour}
        </Button>
        <AskYourself run={shared.run} />
      </section>
      <StoredRun shared={shared} events={events} actions={<TakeAway />} />
      {tour}
    </>
  )
}

function AskYourself({ run }: Readonly<{ run: SharedRun['run'] }>) {
  const me = useMe()
  if (!me?.permissions.run) return null
  const asked = new URLSearchParams({ q: run.query, method: run.method })
  return (
    <ButtonLink to={`/?${asked}`} size="sm" icon={MessageCircleQuestion}>
      {text.ask}
    </ButtonLink>
  )
}

async function load(sampled: Sampled): Promise<Recorded> {
  const { events, ...shared } = await SAMPLES[sampled]()
  return { shared, events } as unknown as Recorded
}
