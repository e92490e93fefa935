import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CornerDownLeft, Search } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components'
import { useNavigate } from 'react-router'
import { useStore } from 'zustand'

import { cx } from '@/components/cx'
import { useMe } from '@/lib/api/queries'
import { commandStore, type Command } from '@/lib/commands'
import { shorten } from '@/lib/format'
import { strings } from '@/strings/studio'

import { places } from './places'

const { palette: words } = strings
/** One letter would find everything. */
const SEARCHED_FROM = 2
const LABEL_CHARS = 90

interface Group {
  readonly title: string
  readonly commands: readonly Command[]
}

/** Everything that can be done from here, by its name: this page's commands, places, settings, and
 * whatever is stored under a name. */
export function Palette({ onClose }: Readonly<{ onClose: () => void }>) {
  const [typed, setTyped] = useState('')
  const groups = useGroups(typed)
  const isPointed = usePointed()
  const shown = groups.flatMap(({ commands }) => commands)
  const run = (chosen: Command | undefined): void => {
    onClose()
    // After the dialog has given the focus back: a command may want it.
    if (chosen) setTimeout(chosen.run)
  }
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      className="fixed inset-0 z-40 grid items-start justify-items-center bg-[oklch(0.15_0.01_262/0.45)] p-3 sm:pt-[12dvh]"
    >
      <Modal className="flex max-h-[76dvh] w-full max-w-xl flex-col overflow-hidden rounded-lg border border-line bg-surface-1 shadow-float">
        <Dialog aria-label={words.title} className="flex min-h-0 flex-col outline-none">
          {/* A search field would only be emptied by it. */}
          <div
            className="contents"
            onKeyDownCapture={(event) => {
              if (event.key === 'Escape') onClose()
              // Who types fast presses it before the list has made its first match the chosen one.
              if (
                event.key !== 'Enter' ||
                event.nativeEvent.isComposing ||
                shown.length === 0 ||
                hasChosen(event.target)
              )
                return
              event.preventDefault()
              event.stopPropagation()
              run(shown[0])
            }}
          >
            <Autocomplete inputValue={typed} onInputChange={setTyped}>
              <SearchField
                autoFocus
                aria-label={words.field}
                className="flex items-center gap-2.5 border-b border-line px-4"
              >
                <Search size={16} aria-hidden className="shrink-0 text-ink-3" />
                <Input
                  placeholder={words.placeholder}
                  className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none"
                />
              </SearchField>
              <Menu
                aria-label={words.title}
                className={cx(
                  'min-h-0 overflow-auto p-1.5 outline-none',
                  isPointed ? '' : 'pointer-events-none',
                )}
                onAction={(key) => run(shown.find(({ id }) => id === String(key)))}
                renderEmptyState={() => <p className="px-2.5 py-4 text-ink-2">{words.nothing}</p>}
              >
                {groups.map(({ title, commands }) => (
                  <MenuSection key={title} id={title}>
                    <Header className="px-2.5 pt-2 pb-1 text-xs font-semibold text-ink-3">
                      {title}
                    </Header>
                    {commands.map((command) => (
                      <Item key={command.id} command={command} />
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </Autocomplete>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Whether somebody points at something: the palette opens under a pointer that only lies there, and
 * what happens to be under it is not what they chose. */
function usePointed(): boolean {
  // A finger is never there before it taps.
  const [isPointed, setPointed] = useState(() => matchMedia('(any-pointer: coarse)').matches)
  useEffect(() => {
    const moved = ({ movementX, movementY }: PointerEvent): void => {
      if (movementX !== 0 || movementY !== 0) setPointed(true)
    }
    addEventListener('pointermove', moved)
    return () => removeEventListener('pointermove', moved)
  }, [])
  return isPointed
}

/** Whether a field points at an item of its list that is still there. */
function hasChosen(field: EventTarget): boolean {
  const item = field instanceof Element ? field.getAttribute('aria-activedescendant') : null
  return item !== null && document.getElementById(item) !== null
}

function Item({ command }: Readonly<{ command: Command }>) {
  return (
    <MenuItem
      id={command.id}
      textValue={command.label}
      className="group flex min-h-9 cursor-default items-center gap-3 rounded-md px-2.5 py-1 outline-none data-[focused]:bg-surface-2"
    >
      <span className="min-w-0 flex-1 truncate">{command.label}</span>
      {command.keys ? <kbd className="shrink-0 text-xs text-ink-3">{command.keys}</kbd> : null}
      <CornerDownLeft
        size={14}
        aria-hidden
        className="shrink-0 text-ink-3 opacity-0 group-data-[focused]:opacity-100"
      />
    </MenuItem>
  )
}

function useGroups(typed: string): Group[] {
  const here = useStore(commandStore, ({ groups }) => groups)
  const going = usePlaces()
  const found = useFound(useDeferredValue(typed))
  const groups: Group[] = [
    { title: words.here, commands: here.toReversed().flat() },
    { title: words.places, commands: going },
  ]
  const matching = groups.map(({ title, commands }) => ({
    title,
    commands: commands.filter(
      ({ label, searched = false }) => (typed.trim() !== '' || !searched) && matches(label, typed),
    ),
  }))
  return once([...matching, ...found]).filter(({ commands }) => commands.length > 0)
}

/** A list breaks where two have one id: of those, the first is meant, since the newest come first. */
function once(groups: readonly Group[]): Group[] {
  const seen = new Set<string>()
  return groups.map(({ title, commands }) => ({
    title,
    commands: commands.filter(({ id }) => {
      const isFirst = !seen.has(id)
      seen.add(id)
      return isFirst
    }),
  }))
}

/** Every word that was typed begins a word of the label. */
function matches(label: string, typed: string): boolean {
  const words = label.toLowerCase().split(/\s+/)
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)))
}

function usePlaces(): Command[] {
  const navigate = useNavigate()
  const me = useMe()
  const go = (to: string, label: string, keys?: string): Command => ({
    id: `go ${to}`,
    label,
    run: () => void navigate(to),
    ...(keys ? { keys } : {}),
  })
  return [
    ...places.map(({ to, label, letter }) => go(to, label, `g ${letter}`)),
    go('/tokens', strings.nav.tokens, 'g t'),
    go('/webhooks', strings.nav.webhooks),
    go('/sample', strings.nav.sample),
    ...(me?.permissions.run
      ? [go('/evaluations/new', words.newEvaluation), go('/training/new', words.newTraining)]
      : []),
    leave('/corpus', strings.nav.corpora),
    leave('/api/docs', strings.nav.apiDocs),
    ...(me?.permissions.curate ? [leave('/admin/', strings.nav.admin)] : []),
  ]
}

/** To a page that is not one of the studio's own interface. */
const leave = (to: string, label: string): Command => ({
  id: `leave ${to}`,
  label,
  run: () => globalThis.location.assign(to),
})

/** Whatever is stored under a name that holds what was typed. */
function useFound(typed: string): Group[] {
  const navigate = useNavigate()
  const client = useQueryClient()
  const q = typed.trim()
  const found = useQuery({
    queryKey: ['palette', q],
    queryFn: async ({ signal }) => {
      const { findStored, settings } = await import('./palette-found')
      return { stored: await findStored(q, client, signal), settings }
    },
    enabled: q.length >= SEARCHED_FROM,
  }).data
  if (!found) return []
  const settings = found.settings().filter(({ label }) => matches(label, q))
  const stored = found.stored.map(([title, all]) => ({
    title,
    commands: all.map(({ address, label }) => ({
      id: `go ${address}`,
      label: shorten(label, LABEL_CHARS),
      run: () => void navigate(address),
    })),
  }))
  return [{ title: words.settings, commands: settings }, ...stored]
}
