import { useQuery } from '@tanstack/react-query'
import { FlaskConical, Footprints, MessageCircleQuestion } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ErrorPanel } from '@/components/error-panel'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'

import { TakeAway } from './run-actions'
import { StoredRun, type Recorded, type SharedRun } from './stored-run'
import { text as words } from '@/strings/tour'
import { useTour } from './tour/use-tour'

const text = words.sample

/** A real run that comes with the pages, for who has no model yet: written by `manage.py sample_run`. */
export function SamplePage() {
  useTitle(text.label)
  const loaded = useQuery({
    queryKey: ['sample-run'],
    queryFn: load,
    staleTime: Infinity,
    retry: false,
  })
  if (loaded.data) return <Sample {...loaded.data} />
  if (loaded.isPending) return <WorkingBlock />
  return (
    <div className="mx-auto w-full max-w-xl p-6">
      <ErrorPanel problem={toApiError(loaded.error)} onRetry={() => void loaded.refetch()} />
    </div>
  )
}

function Sample({ shared, events }: Readonly<Recorded>) {
  const { tour, show } = useTour({ begins: true })
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
        <Button size="sm" onPress={show} icon={<Footprints size={14} aria-hidden />}>
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
    <Link to={`/?${asked}`} className={buttonClass({ size: 'sm' })}>
      <MessageCircleQuestion size={14} aria-hidden />
      {text.ask}
    </Link>
  )
}

async function load(): Promise<Recorded> {
  const { events, ...shared } = (await import('./sample-run.json')).default
  return { shared, events } as unknown as Recorded
}
