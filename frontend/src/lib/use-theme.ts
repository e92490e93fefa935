import { useSyncExternalStore } from 'react'

const DARK = '(prefers-color-scheme: dark)'

function watch(changed: () => void): () => void {
  const media = globalThis.matchMedia(DARK)
  const observer = new MutationObserver(changed)
  media.addEventListener('change', changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    media.removeEventListener('change', changed)
    observer.disconnect()
  }
}

const current = (): 'light' | 'dark' => {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return globalThis.matchMedia(DARK).matches ? 'dark' : 'light'
}

/** For what is drawn on a canvas and cannot follow CSS by itself. */
export const useTheme = (): 'light' | 'dark' => useSyncExternalStore(watch, current)

/** A CSS colour, such as `var(--accent)`, as a canvas understands it. */
export function resolvedColor(color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  document.body.append(probe)
  const resolved = getComputedStyle(probe).color
  probe.remove()
  return resolved
}
