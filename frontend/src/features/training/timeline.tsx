import { ChartLine, Table2 } from 'lucide-react'
import { useCallback, useState } from 'react'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import type { Area } from '@/components/chart/areas'
import { isSameRange, type Range } from '@/components/chart/zoom'
import { Notice } from '@/components/notice'
import { SeriesMark } from '@/components/series-mark'
import { WorkingBlock } from '@/components/working'
import { formatCount } from '@/lib/format'

import { Charts } from './charts'
import { BranchesOffer } from './branches/branches-offer'
import { DesignsOffer } from './designs/designs-offer'
import { STAGED_METRICS, stageAreas } from './stages'
import { StageLegend } from './stage-legend'
import { defaultMetrics, inReadingOrder, nearestStep, shownAxis } from './curves'
import type { FeedState } from './job-feed'
import { MetricTable } from './metric-table'
import { useMetrics, type Metrics } from './metrics'
import { SamplePanel } from './sample-panel'
import { TimelineToolbar } from './timeline-toolbar'
import { text } from '@/strings/training'
import { useCurveAddress } from './use-curve-address'
import { useFeedViews } from './use-feeds'
import { useOverlays, type Shown } from './use-overlays'
import type { Training } from './use-training'

const NO_AREAS: readonly Area[] = []

/** The curves of a training, live, with others over them, and the systems behind a step. */
export function Timeline({ job }: Readonly<{ job: Training }>) {
  const metrics = useMetrics(job.method)
  return metrics === null ? <WorkingBlock /> : <Told job={job} known={metrics} />
}

function Told({ job, known }: Readonly<{ job: Training; known: Metrics }>) {
  const address = useCurveAddress()
  const { shown, missing } = useOverlays(job, address.others)
  const { feeds, version } = useFeedViews(shown.map((one) => one.job.id))
  const [asTable, setAsTable] = useState(false)
  const [zoom, setZoom] = useState<Range | null>(null)
  const onZoom = useCallback(
    (range: Range | null) => setZoom((known) => (isSameRange(known, range) ? known : range)),
    [],
  )
  const curves = feeds.map(({ curve }) => curve)
  const own = curves[0]?.steps ?? []
  const names = inReadingOrder(new Set(curves.flatMap((curve) => curve.metrics)), known.order)
  const areas = curves[0] ? stageAreas(curves[0]) : NO_AREAS
  const preferred = areas.length > 0 ? STAGED_METRICS : address.metrics
  const wanted = address.isDefault ? defaultMetrics(preferred, names) : address.metrics
  const metrics = wanted.map(known.of)
  const pick = (step: number): void => address.openStep(nearestStep(own, step))
  return (
    <div className="flex flex-col gap-4">
      <Card
        flush
        title={text.views.curve}
        actions={
          <Button
            size="sm"
            isDisabled={own.length === 0}
            onPress={() => setAsTable(!asTable)}
            icon={asTable ? <ChartLine size={14} aria-hidden /> : <Table2 size={14} aria-hidden />}
          >
            {asTable ? text.curve.chart : text.curve.table}
          </Button>
        }
      >
        <TimelineToolbar
          job={job}
          shown={shown}
          listed={[...new Set([...names, ...wanted])].map(known.of)}
          chosen={wanted}
          axis={shownAxis(curves, wanted)}
          zoom={asTable ? undefined : zoom}
          onZoom={onZoom}
        />
        {shown.length > 1 ? <Legend shown={shown} /> : null}
        {own.length > 0 && !asTable ? <StageLegend areas={areas} /> : null}
        {missing.length > 0 ? (
          <div className="px-4 pt-3">
            <Notice title={text.curve.missing(missing.length)} />
          </div>
        ) : null}
        {own.length === 0 ? <Nothing job={job} state={feeds[0]?.state ?? 'waiting'} /> : null}
        {own.length > 0 && asTable ? (
          <MetricTable
            shown={shown}
            curves={curves}
            version={version}
            metrics={metrics.filter(({ key }) => names.includes(key))}
            onPick={pick}
          />
        ) : null}
        {own.length > 0 && !asTable ? (
          <Charts
            shown={shown}
            curves={curves}
            version={version}
            areas={areas}
            metrics={metrics}
            names={names}
            smoothing={address.smoothing}
            selected={address.step}
            onPick={pick}
            zoom={zoom}
            onZoom={onZoom}
          />
        ) : null}
      </Card>
      <p role="status" className="sr-only">
        {address.step === null ? '' : text.samples.title(formatCount(address.step))}
      </p>
      {address.step === null ? null : (
        <>
          <BranchesOffer job={job} step={address.step} />
          <DesignsOffer job={job} step={address.step} />
          <SamplePanel key={address.step} job={job} step={address.step} />
        </>
      )}
    </div>
  )
}

/** Why there is no curve; work is shown only while something can still come. */
function Nothing({ job, state }: Readonly<{ job: Training; state: FeedState }>) {
  if (state === 'waiting' && job.step > 0) return <WorkingBlock />
  return (
    <p className="px-4 py-10 text-ink-3">
      {state === 'gone' || job.step > 0 ? text.curve.noSteps : text.curve.empty}
    </p>
  )
}

function Legend({ shown }: Readonly<{ shown: readonly Shown[] }>) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-2.5 text-xs">
      {shown.map(({ job: { id, name }, series }) => (
        <li key={id} className="inline-flex items-center gap-2">
          <SeriesMark index={series} />
          {name}
        </li>
      ))}
    </ul>
  )
}
