import { create } from 'zustand'

export type Theme = 'system' | 'light' | 'dark'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'mas-studio-theme'
/** How messages are read: 'raw', or formatted where nothing is stored. */
const MESSAGES_KEY = 'mas-studio-messages'
const HIDDEN_KEY = 'mas-studio-hidden-panels'

const storedTheme = (): Theme => THEMES.find((theme) => theme === stored(KEY)) ?? 'system'

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // Storage can be blocked; nothing is then remembered from visit to visit.
    return null
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

function storedHidden(): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(stored(HIDDEN_KEY) ?? '[]')
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [])
  } catch {
    // Whatever else stands there is no list of ours.
    return new Set()
  }
}

function apply(theme: Theme): void {
  const root = document.documentElement
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}

interface Preferences {
  theme: Theme
  setTheme: (theme: Theme) => void
  /** Messages as they were sent, letter by letter, instead of formatted. */
  rawMessages: boolean
  setRawMessages: (raw: boolean) => void
  /** Panels that were put away, by name. */
  hidden: ReadonlySet<string>
  setHidden: (name: string, isHidden: boolean) => void
}

export const usePreferences = create<Preferences>()((set) => ({
  theme: storedTheme(),
  setTheme: (theme) => {
    apply(theme)
    store(KEY, theme)
    set({ theme })
  },
  rawMessages: stored(MESSAGES_KEY) === 'raw',
  setRawMessages: (rawMessages) => {
    store(MESSAGES_KEY, rawMessages ? 'raw' : 'rendered')
    set({ rawMessages })
  },
  hidden: storedHidden(),
  setHidden: (name, isHidden) =>
    set(({ hidden }) => {
      const next = new Set(hidden)
      if (isHidden) next.add(name)
      else next.delete(name)
      store(HIDDEN_KEY, JSON.stringify([...next]))
      return { hidden: next }
    }),
}))

/** Before the first render, so that the page does not flash in the other theme. */
export const applyStoredTheme = (): void => apply(storedTheme())
