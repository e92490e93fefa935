import { Link } from 'react-router'

import { Button } from '@/components/button'
import { Notice } from '@/components/notice'
import { text } from '@/strings/small-writer'

import type { SmallWriter } from './small-writer'

interface Props {
  writer: SmallWriter
  onExample: (setting: string, example: string) => void
}

/** Says that the run would fail, and the ways out. */
export function SmallWriterNotice({ writer, onExample }: Readonly<Props>) {
  const { endpoint, writes, instead } = writer
  const words = text.of[writes]
  return (
    <Notice tone="warn" title={words.title(endpoint.name || endpoint.key)}>
      {words.help}{' '}
      {writes === 'plan' ? (
        <Link to="/sample/reso" className="text-accent underline underline-offset-2">
          {text.sample}
        </Link>
      ) : null}
      {instead ? (
        <div className="pt-2">
          <Button size="sm" onPress={() => onExample(instead.setting, instead.example)}>
            {text.example}
          </Button>
        </div>
      ) : null}
    </Notice>
  )
}
