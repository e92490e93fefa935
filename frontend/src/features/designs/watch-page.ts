const LOOK_MS = 20_000

/** Looks when somebody comes back to the page, when the network does, and every now and then. */
export function watchPage(look: () => void): () => void {
  const visible = (): void => {
    if (document.visibilityState === 'visible') look()
  }
  const timer = setInterval(visible, LOOK_MS)
  const events = ['focus', 'online'] as const
  for (const name of events) globalThis.addEventListener(name, look)
  document.addEventListener('visibilitychange', visible)
  return () => {
    clearInterval(timer)
    for (const name of events) globalThis.removeEventListener(name, look)
    document.removeEventListener('visibilitychange', visible)
  }
}
