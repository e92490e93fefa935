import { CodeBlock } from '@/components/code-block'
import { SourceList } from '@/components/source-list'
import type { ToolCallView } from '@/graph/run-view'
import { formatSeconds } from '@/lib/format'

import { StatusIcon } from './agent-look'
import { PagePicture } from './page-picture'
import { text } from '@/strings/run'

/** Each call with what went in and what came out. Both are data: they are shown, never rendered. */
export function ToolCallList({ calls }: Readonly<{ calls: readonly ToolCallView[] }>) {
  return (
    <ol className="flex flex-col gap-3">
      {namesOf(calls).map(([call, name]) => (
        <li key={call.callId} className="flex flex-col gap-1.5">
          <p className="flex flex-wrap items-center gap-x-2">
            <StatusIcon status={call.ok === null ? 'active' : call.ok ? 'done' : 'failed'} named />
            <span className="font-mono text-xs font-semibold">{call.tool}</span>
            {call.truncated ? (
              <span className="text-xs text-warn">{text.agent.cutTool}</span>
            ) : null}
            {call.cached ? (
              <span className="text-xs text-ink-3">{text.agent.cachedTool}</span>
            ) : null}
            {call.cut ? <span className="text-xs text-warn">{text.agent.cutResult}</span> : null}
            <span className="ml-auto text-xs text-ink-3">{formatSeconds(call.seconds)}</span>
          </p>
          <CodeBlock label={`${text.agent.arguments}: ${name}`} body={argumentText(call)} />
          <CodeBlock
            label={`${text.agent.output}: ${name}`}
            body={call.output ?? text.agent.noOutput}
            failed={call.ok === false}
          />
          {call.picture ? <PagePicture picture={call.picture} page={call.sources[0]} /> : null}
          {call.sources.length > 0 ? (
            <SourceList label={text.agent.sources(name)} sources={call.sources} />
          ) : null}
        </li>
      ))}
    </ol>
  )
}

/** Each call with its tool's name, numbered where the tool is called again. */
function namesOf(calls: readonly ToolCallView[]): (readonly [ToolCallView, string])[] {
  const seen = new Map<string, number>()
  return calls.map((call) => {
    const count = (seen.get(call.tool) ?? 0) + 1
    seen.set(call.tool, count)
    return [call, count === 1 ? call.tool : `${call.tool} ${count}`]
  })
}

/** One long argument (code, an expression) reads better alone than inside JSON. */
function argumentText(call: ToolCallView): string {
  const values = Object.values(call.arguments)
  const [only] = values
  return values.length === 1 && typeof only === 'string'
    ? only
    : JSON.stringify(call.arguments, null, 2)
}
