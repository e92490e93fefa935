import { create } from 'zustand'

export type Theme = 'system' | 'light' | 'dark'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'mas-studio-theme'

function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    // Storage can be blocked; the theme then follows the system.
    return 'system'
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
}

export const usePreferences = create<Preferences>()((set) => ({
  theme: stored(),
  setTheme: (theme) => {
    apply(theme)
    try {
      localStorage.setItem(KEY, theme)
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    set({ theme })
  },
}))

/** Before the first render, so that the page does not flash in the other theme. */
export const applyStoredTheme = (): void => apply(stored())
