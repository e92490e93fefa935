import { CopyButton } from '@/components/copy-button'
import type { ChatMessage } from '@/graph/run-view'

import { text } from '@/strings/run'

/** The chat messages as they were sent, letter by letter. */
export function PromptView({ messages }: Readonly<{ messages: readonly ChatMessage[] }>) {
  return (
    <ol className="flex flex-col gap-2">
      {messages.map((message, index) => (
        <li key={index} className="flex flex-col gap-1">
          <span className="flex items-center justify-between gap-2 font-mono text-xs text-ink-3">
            {message.role}
            <CopyButton text={message.content} name={text.agent.copyPrompt(message.role)} />
          </span>
          <p className="rounded-md bg-surface-2 p-2.5 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
            {message.content}
          </p>
        </li>
      ))}
    </ol>
  )
}
