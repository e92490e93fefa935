import { CodeBlock } from '@/components/code-block'
import { Section } from '@/components/fact'
import { StatusIcon } from '@/components/run/agent-look'
import { formatSeconds } from '@/lib/format'

import type { Scripts } from './use-scripts'
import { text } from './words'

const { end: words } = text

/** How the script ended, why it did not deliver, and what it printed. */
export function EndPart({ scripts: { ended } }: Readonly<{ scripts: Scripts }>) {
  if (!ended) return null
  const { ending, calls, seconds, printed, problem } = ended
  return (
    <Section
      title={text.ending[ending]}
      aside={<StatusIcon status={ending === 'delivered' ? 'done' : 'failed'} />}
    >
      <p className="text-xs text-ink-3">
        {words.told(calls, seconds > 0 ? formatSeconds(seconds) : null)}
      </p>
      {problem ? (
        <div className="text-xs wrap-anywhere">
          <p className="font-medium text-bad">
            {problem.line === null ? '' : `${text.line(problem.line)}: `}
            {problem.message}
          </p>
          <p className="text-ink-2">{problem.remedy}</p>
        </div>
      ) : null}
      {printed ? (
        <div className="flex flex-col gap-1">
          <h4 className="text-xs text-ink-3">{words.printed}</h4>
          <CodeBlock label={words.printed} body={printed} />
        </div>
      ) : null}
    </Section>
  )
}
