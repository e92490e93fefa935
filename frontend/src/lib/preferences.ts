import { create } from 'zustand'

export type Theme = 'system' | 'light' | 'dark'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'mas-studio-theme'
/** How messages are read: 'raw', or formatted where nothing is stored. */
const MESSAGES_KEY = 'mas-studio-messages'

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
}))

/** Before the first render, so that the page does not flash in the other theme. */
export const applyStoredTheme = (): void => apply(storedTheme())
