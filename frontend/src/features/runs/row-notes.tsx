import { NoteBadges, type Note } from '@/components/note-badges'
import { strings } from '@/strings/studio'

const words = strings.notes
/** Of one run; the rest are counted. */
const SHOWN = 2

/** What people noted, with who did: named on a phone, where nothing can be hovered. */
export function RowNotes({ notes }: Readonly<{ notes: readonly Note[] }>) {
  if (notes.length === 0) return null
  const rest = notes.slice(SHOWN)
  return (
    <ul
      aria-label={words.title}
      className="relative z-10 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-3 lg:flex-nowrap"
    >
      {notes.slice(0, SHOWN).map((note) => (
        <li key={note.author} className="flex min-w-0 items-center gap-1" title={told(note)}>
          <NoteBadges note={note} isShort />
          <span className="lg:sr-only">{words.by(note.author)}</span>
        </li>
      ))}
      {rest.length > 0 ? (
        <li title={rest.map(told).join('\n')} className="whitespace-nowrap">
          {words.more(rest.length)}
        </li>
      ) : null}
    </ul>
  )
}

function told({ author, score, label, comment }: Note): string {
  const parts = [score === null ? '' : words.scoreOf(score), label, comment]
  return `${author}: ${parts.filter(Boolean).join(', ')}`
}
