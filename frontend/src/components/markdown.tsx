import { lazy, Suspense } from 'react'

const Rendered = lazy(() => import('./markdown-rendered'))

/** Model output as markdown. Hostile by assumption: see `markdown-rendered`. Plain text until it is loaded. */
export function Markdown({ text }: Readonly<{ text: string }>) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  )
}
