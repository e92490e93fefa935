import { later } from './later'

interface Props {
  text: string
}

const plain = ({ text }: Readonly<Props>) => <p className="whitespace-pre-wrap">{text}</p>

/** Model output as markdown. Hostile by assumption: see `markdown-rendered`. Plain text until it is
 * loaded. */
export const Markdown = later<Readonly<Props>>(
  async () => (await import('./markdown-rendered')).MarkdownRendered,
  { waiting: plain, failed: plain },
)
