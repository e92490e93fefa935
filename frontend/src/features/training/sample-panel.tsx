import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'

import { Button, IconButton } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { QueryError } from '@/components/query-state'
import { VerdictBadge } from '@/components/verdict-badge'
import { WorkingBlock } from '@/components/working'
import { formatCount, formatMetric, shorten } from '@/lib/format'

import { nearestStep } from './curves'
import { SampleView } from './sample-view'
import { text } from '@/strings/training'

import { useCurveAddress } from './use-curve-address'
import { isWorking, samplesQuery, type SampleSummary, type Training } from './use-training'

const { samples: words } = text

interface Props {
  job: Training
  step: number
}

/** The systems that were kept at a step; choosing one draws it. */
export function SamplePanel({ job, step }: Readonly<Props>) {
  const isNewest = step >= job.step && isWorking(job)
  const samples = useQuery(samplesQuery(job.id, step, isNewest))
  const { sample, openSample, openStep } = useCurveAddress()
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const rows = samples.data ?? []
  const chosen = rows.find(({ id }) => id === sample) ?? rows[0]
  return (
    <section ref={panel} aria-label={words.title(formatCount(step))} className="scroll-mt-4">
      <Card
        flush
        title={words.title(formatCount(step))}
        actions={
          <IconButton
            label={words.close}
            onPress={() => openStep(null)}
            icon={<X size={16} aria-hidden />}
          />
        }
      >
        {samples.isPending ? (
          // As high as what follows, so that all of it is scrolled into view at once.
          <div className="lg:min-h-[36rem]">
            <WorkingBlock />
          </div>
        ) : null}
        {samples.isError ? (
          <div className="p-4">
            <QueryError of={samples} />
          </div>
        ) : null}
        {samples.isSuccess && rows.length === 0 ? <Nothing job={job} step={step} /> : null}
        {chosen ? (
          <SampleView
            key={chosen.id}
            job={job}
            id={chosen.id}
            list={
              <ul aria-label={words.label} className="max-h-56 overflow-auto border-b border-line">
                {rows.map((row) => (
                  <li key={row.id}>
                    <SampleRow
                      sample={row}
                      isChosen={row.id === chosen.id}
                      onChoose={() => openSample(row.id)}
                    />
                  </li>
                ))}
              </ul>
            }
          />
        ) : null}
      </Card>
    </section>
  )
}

interface RowProps {
  sample: SampleSummary
  isChosen: boolean
  onChoose: () => void
}

function SampleRow({ sample, isChosen, onChoose }: Readonly<RowProps>) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={cx(
        'flex w-full flex-col gap-0.5 border-b border-line px-4 py-2 text-left focus-visible:-outline-offset-2',
        isChosen ? 'bg-accent-soft' : 'hover:bg-surface-2',
      )}
    >
      <span className="flex items-center gap-2">
        <VerdictBadge plain correct={sample.correct} />
        <span className="ml-auto text-xs text-ink-2">
          {words.reward} <span className="font-medium text-ink">{formatMetric(sample.reward)}</span>
        </span>
      </span>
      <span className="line-clamp-2 text-xs text-ink-2">{shorten(sample.query, 160)}</span>
      <span className="text-xs text-ink-3">
        {words.agents(sample.agents)} · {words.tokens(sample.tokens, formatCount(sample.tokens))}
      </span>
    </button>
  )
}

/** Not every step keeps systems: the nearest that did is offered. */
function Nothing({ job, step }: Readonly<Props>) {
  const all = useQuery(samplesQuery(job.id, null)).data ?? []
  const { openStep } = useCurveAddress()
  const near = nearestStep([...new Set(all.map((sample) => sample.step))], step)
  return (
    <div className="flex flex-col items-start gap-2 px-4 py-6">
      <p className="text-ink-2">
        {words.empty} {near === null ? '' : words.emptyNear(formatCount(near))}
      </p>
      {near === null ? null : (
        <Button size="sm" onPress={() => openStep(near)}>
          {words.open(formatCount(near))}
        </Button>
      )}
    </div>
  )
}
