import { NotebookPen } from 'lucide-react'
import { useState } from 'react'

import { Ago } from '@/components/ago'
import { Button } from '@/components/button'
import { later } from '@/components/later'
import { NoteBadges, type Note } from '@/components/note-badges'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { useMe } from '@/lib/api/queries'

const words = text.notes
/** Fetched when somebody writes one: most only read. */
const NoteDialog = later(async () => (await import('./note-dialog')).NoteDialog, {
  waiting: () => null,
})

const NONE: readonly Note[] = []

/** What people think of the run: everybody's notes, and one's own to write. */
export function RunNotes() {
  const notes = useRun((state) => state.view.detail?.annotations ?? NONE)
  if (notes.length === 0) return null
  return (
    <ul aria-label={words.title} className="flex flex-wrap gap-2">
      {notes.map((note) => (
        <li
          key={note.author}
          className="flex max-w-full flex-wrap items-baseline gap-x-2 gap-y-1 rounded-lg border border-line bg-surface-1 px-3 py-2 text-sm"
        >
          <span className="font-semibold">{note.author}</span>
          <NoteBadges note={note} />
          {note.comment ? (
            <span className="min-w-0 break-words whitespace-pre-wrap">{note.comment}</span>
          ) : null}
          <Ago at={note.updated_at} className="text-xs text-ink-3" />
        </li>
      ))}
    </ul>
  )
}

export function NoteButton() {
  const me = useMe()
  const [open, setOpen] = useState(false)
  const mine = useRun(({ view }) =>
    view.detail?.annotations.find(({ author }) => author === me?.username),
  )
  if (!me?.permissions.run) return null
  return (
    <>
      <Button size="sm" icon={NotebookPen} onPress={() => setOpen(true)}>
        {mine ? words.change : words.add}
      </Button>
      {open ? <NoteDialog mine={mine} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
