import { withMarksShown } from '@/lib/visible-marks'
import { text } from '@/strings/run'

import { CopyButton } from './copy-button'
import { ScrollRegion } from './scroll-region'

interface Props {
  label: string
  body: string
  failed?: boolean
}

/** A program or a text of one, to be copied; a long one scrolls. */
export function CodeBlock({ label, body, failed = false }: Readonly<Props>) {
  return (
    <div className="relative">
      <ScrollRegion
        label={label}
        className={`max-h-60 overflow-auto rounded-md p-2.5 pr-10 ${failed ? 'bg-bad-soft' : 'bg-surface-2'}`}
      >
        <pre className="font-mono text-xs whitespace-pre-wrap">{withMarksShown(body)}</pre>
      </ScrollRegion>
      <span className="absolute top-0.5 right-1">
        <CopyButton text={body} name={text.agent.copyBlock(label)} />
      </span>
    </div>
  )
}
