import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

import { boardParts } from '@/lib/board-parts'
import { linkOwnPages } from '@/lib/link-own-pages'
import { useOwnPage } from '@/lib/own-pages'
import { safeUrl } from '@/lib/safe-url'
import { strings } from '@/strings/studio'

/**
 * No raw HTML (react-markdown escapes it), links only to http, https, mailto and the studio's own
 * pages that agents read, and no images: a remote
 * image can carry what a model read to someone else's server.
 */
const components: Components = {
  a: ({ href, children }) =>
    href ? (
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-accent underline underline-offset-2"
      >
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt }) => (
    <span className="text-ink-3">
      [{alt === '' || alt === undefined ? strings.common.imageRemoved : alt}]
    </span>
  ),
  pre: ({ children }) => (
    // A code block scrolls sideways, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0} className="overflow-x-auto rounded-md bg-surface-2 p-3 font-mono text-xs">
      {children}
    </pre>
  ),
  code: ({ children }) => <code className="font-mono text-[0.92em]">{children}</code>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="border-collapse [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:bg-surface-2 [&_th]:px-2 [&_th]:py-1 [&_th]:text-left">
        {children}
      </table>
    </div>
  ),
  h1: ({ children }) => <p className="text-base font-semibold">{children}</p>,
  h2: ({ children }) => <p className="text-base font-semibold">{children}</p>,
  h3: ({ children }) => <p className="font-semibold">{children}</p>,
  h4: ({ children }) => <p className="font-semibold">{children}</p>,
  ul: ({ children }) => <ul className="list-disc pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal pl-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-ink-2">{children}</blockquote>
  ),
}

/** Paragraphs would fold the lines of a board. */
const boardsFenced = (text: string): string =>
  boardParts(text)
    .map(({ text: part, isBoard }) => (isBoard ? `\n\`\`\`\n${part.trimEnd()}\n\`\`\`\n` : part))
    .join('')

export function MarkdownRendered({ text }: Readonly<{ text: string }>) {
  const ownPage = useOwnPage()
  return (
    <div className="flex flex-col gap-2 leading-relaxed">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, linkOwnPages]}
        urlTransform={(url) => ownPage(url) ?? safeUrl(url) ?? ''}
        components={components}
      >
        {boardsFenced(text)}
      </ReactMarkdown>
    </div>
  )
}
