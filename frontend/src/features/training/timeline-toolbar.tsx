import { useQuery } from '@tanstack/react-query'
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'

import { Button, IconButton } from '@/components/button'
import { zoomedBy, type Range } from '@/components/chart/zoom'
import { MenuChoice, type Choice } from '@/components/menu-choice'
import { Slider } from '@/components/slider'

import type { Metric } from './metrics'
import { text } from '@/strings/training'

import { MOST_SMOOTHING, useCurveAddress } from './use-curve-address'
import { inOldOrder, type Shown } from './use-overlays'
import { siblingsQuery, type Training } from './use-training'

const FACTOR = 2

interface Props {
  job: Training
  shown: readonly Shown[]
  /** Metrics to choose from, and the names of those that are drawn or waited for. */
  listed: readonly Metric[]
  chosen: readonly string[]
  axis: readonly number[]
  /** undefined where nothing can be zoomed. */
  zoom: Range | null | undefined
  onZoom: (range: Range | null) => void
}

/** What is drawn, and how much of it. */
export function TimelineToolbar(props: Readonly<Props>) {
  const { job, shown, listed, chosen, axis, zoom, onZoom } = props
  const address = useCurveAddress()
  const siblings = useQuery(siblingsQuery(job.method)).data
  const others = trainingChoices(job, shown, siblings ?? [], address.others)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-2">
      <MenuChoice
        label={text.curve.metrics}
        atLeastOne
        choices={listed.map(({ key, title }) => ({ key, label: title }))}
        chosen={chosen}
        onChange={address.setMetrics}
      />
      <MenuChoice
        label={text.curve.overlay}
        empty={siblings ? text.curve.overlayNone : ''}
        choices={others}
        chosen={address.others}
        onChange={(ids) => address.setOthers(inOldOrder(address.others, ids))}
      />
      <Slider
        label={text.curve.smoothing}
        value={address.smoothing}
        onChange={address.setSmoothing}
        minimum={0}
        maximum={MOST_SMOOTHING}
        step={0.02}
      />
      {zoom === undefined ? null : (
        <ZoomButtons axis={axis} zoom={zoom} onZoom={onZoom} selected={address.step} />
      )}
      <p className="ml-auto text-xs text-ink-3 pointer-coarse:hidden">{text.curve.hint}</p>
      <p className="ml-auto hidden text-xs text-ink-3 pointer-coarse:block">
        {text.curve.hintTouch}
      </p>
    </div>
  )
}

/** The newest of the method, and whatever the address names besides: it can be taken away again. */
function trainingChoices(
  job: Training,
  shown: readonly Shown[],
  siblings: readonly Training[],
  others: readonly string[],
): Choice[] {
  const known = new Map([...siblings, ...shown.map((one) => one.job)].map((one) => [one.id, one]))
  known.delete(job.id)
  return [...new Set([...known.keys(), ...others])].map((key): Choice => {
    const one = known.get(key)
    if (!one) return { key, label: text.curve.unknownTraining, description: key }
    const description = `${one.dataset ?? ''} · ${text.stepsOnly(String(one.step))}`
    return { key, label: one.name, description }
  })
}

interface ZoomProps {
  axis: readonly number[]
  zoom: Range | null
  onZoom: (range: Range | null) => void
  selected: number | null
}

function ZoomButtons({ axis, zoom, onZoom, selected }: Readonly<ZoomProps>) {
  const [min, max] = [axis[0], axis.at(-1)]
  if (min === undefined || max === undefined || min === max) return null
  const full = { min, max }
  const range = zoom ?? full
  const by = (factor: number): void =>
    onZoom(zoomedBy(range, full, factor, selected ?? (range.min + range.max) / 2))
  return (
    <div role="group" aria-label={text.curve.zoom} className="flex items-center gap-1">
      <IconButton label={text.curve.zoomIn} onPress={() => by(FACTOR)} icon={ZoomIn} />
      <IconButton
        label={text.curve.zoomOut}
        isDisabled={zoom === null}
        onPress={() => by(1 / FACTOR)}
        icon={ZoomOut}
      />
      {zoom === null ? null : (
        <Button size="sm" onPress={() => onZoom(null)} icon={Maximize}>
          {text.curve.reset}
        </Button>
      )}
    </div>
  )
}
