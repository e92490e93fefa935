import { Footprints, X } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { useTourSeen } from '@/features/run/tour/use-tour'
import { strings } from '@/strings/studio'

const words = strings.home

/** For who is new: a run to look at before there is a model, until they have been shown around. */
export function SampleRun() {
  const { seen, remember } = useTourSeen()
  if (seen !== false) return null
  return (
    <section className="relative flex items-center gap-2 rounded-lg border border-line bg-surface-1 py-2 pr-2 pl-4 hover:bg-surface-2">
      <Footprints size={16} aria-hidden className="shrink-0 text-accent" />
      <span className="min-w-0 flex-1">
        <Link to="/sample" className="font-medium after:absolute after:inset-0">
          {words.sample}
        </Link>
        <span className="block text-xs text-ink-2">{words.sampleWhy}</span>
      </span>
      <Button
        variant="quiet"
        size="sm"
        className="relative"
        aria-label={words.hideSample}
        onPress={remember}
        icon={<X size={14} aria-hidden />}
      />
    </section>
  )
}
