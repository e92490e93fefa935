import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

const MOST = 50

interface Written {
  readonly texts: Readonly<Record<string, string>>
  readonly keep: (key: string, text: string | null) => void
}

const useTexts = create<Written>()(
  persist(
    (set) => ({
      texts: {},
      keep: (key, text) =>
        set(({ texts }) => {
          const others = Object.entries(texts).filter(([name]) => name !== key)
          const all = text === null ? others : [...others, [key, text] as const]
          return { texts: Object.fromEntries(all.slice(-MOST)) }
        }),
    }),
    { name: 'mas-studio-written', storage: createJSONStorage(() => sessionStorage) },
  ),
)

/** A text that is being written, kept for the tab's session: whoever looks elsewhere, leaves the page or
 * reloads it finds it again. `begin` is what stands there at first; `set(null)` goes back to it, such as
 * when the text was sent. */
export function useWritten(
  key: string,
  begin: string,
): readonly [text: string, set: (text: string | null) => void] {
  const { texts, keep } = useTexts()
  return [texts[key] ?? begin, (text) => keep(key, text === begin ? null : text)]
}
