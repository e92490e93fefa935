import { ProgressBar } from '@/components/progress-bar'
import { useNow } from '@/lib/use-now'

import { text } from '@/strings/datasets'
import { stepText, type UnderWay } from './use-under-way'

const { progress: words } = text.importing
/** The server's own limit. */
const HUB_LIMIT_S = 300
const TICK_MS = 1_000

interface Props {
  underWay: UnderWay
  fromHub: boolean
}

/** How far an import is. Its phases are announced, and not every second of them. */
export function ImportProgress({ underWay, fromHub }: Readonly<Props>) {
  const { arrived } = underWay
  // What is sent to ask the hub is small.
  const step = fromHub && underWay.step?.phase === 'uploading' ? null : underWay.step
  const label = step ? words.label[step.phase] : words.begins
  return (
    <div className="min-w-0">
      <span role="status" className="sr-only">
        {label}
      </span>
      {step ? (
        <ProgressBar label={label} value={step.done} total={step.total} text={stepText(step)} />
      ) : (
        <Unknown label={label} since={arrived} fromHub={fromHub} />
      )}
    </div>
  )
}

interface UnknownProps {
  label: string
  since: number | null
  fromHub: boolean
}

/** The server has told nothing yet, or cannot. */
function Unknown({ label, since, fromHub }: Readonly<UnknownProps>) {
  const now = useNow(TICK_MS)
  const seconds = since === null ? 0 : Math.max(0, Math.round((now - since) / 1_000))
  const said = fromHub
    ? words.asksHub(seconds, HUB_LIMIT_S / 60)
    : seconds === 0
      ? label
      : words.working(seconds)
  return <ProgressBar label={label} value={null} total={0} text={said} />
}
