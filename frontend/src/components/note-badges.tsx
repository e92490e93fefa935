import { MessageSquareText } from 'lucide-react'

import type { components } from '@/generated/api'
import { strings } from '@/strings/studio'

import { Badge } from './badge'

const words = strings.notes

export type Note = components['schemas']['Annotation']

interface Props {
  note: Note
  /** In a row: a long label is cut, and a comment is a mark. */
  isShort?: boolean
}

export function NoteBadges({ note, isShort = false }: Readonly<Props>) {
  return (
    <>
      {note.score === null ? null : <Badge tone="accent">{words.scoreOf(note.score)}</Badge>}
      {note.label ? (
        <Badge>
          {isShort ? <span className="max-w-40 truncate">{note.label}</span> : note.label}
        </Badge>
      ) : null}
      {isShort && note.comment ? (
        <Badge icon={<MessageSquareText size={12} aria-hidden />}>
          <span className="sr-only">{words.comment}</span>
        </Badge>
      ) : null}
    </>
  )
}
