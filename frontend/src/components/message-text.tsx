import { usePreferences } from '@/lib/preferences'
import { strings } from '@/strings/studio'

import { Button } from './button'
import { Markdown } from './markdown'

const { message: words } = strings

/** What a model wrote, formatted or as it was sent, whichever the reader prefers. */
export function MessageText({ text }: Readonly<{ text: string }>) {
  const raw = usePreferences((state) => state.rawMessages)
  if (!raw) return <Markdown text={text} />
  return <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">{text}</pre>
}

/** Formatting folds lines and eats marks: who looks for what was really said turns it off. */
export function MessageForm() {
  const raw = usePreferences((state) => state.rawMessages)
  const setRaw = usePreferences((state) => state.setRawMessages)
  return (
    <span role="group" aria-label={words.form} className="flex items-center gap-0.5">
      {([false, true] as const).map((isRaw) => (
        <Button
          key={String(isRaw)}
          size="sm"
          variant={raw === isRaw ? 'secondary' : 'quiet'}
          aria-pressed={raw === isRaw}
          onPress={() => setRaw(isRaw)}
        >
          {isRaw ? words.raw : words.rendered}
        </Button>
      ))}
    </span>
  )
}
