import type { ChatMessage } from '@/graph/run-view'

/** The chat messages as they were sent, letter by letter. */
export function PromptView({ messages }: Readonly<{ messages: readonly ChatMessage[] }>) {
  return (
    <ol className="flex flex-col gap-2">
      {messages.map((message, index) => (
        <li key={index} className="flex flex-col gap-1">
          <span className="font-mono text-xs text-ink-3">{message.role}</span>
          <p className="rounded-md bg-surface-2 p-2.5 text-xs whitespace-pre-wrap">
            {message.content}
          </p>
        </li>
      ))}
    </ol>
  )
}
