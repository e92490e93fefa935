import { useEffect, useEffectEvent, useState } from 'react'

import { filesOf } from './attachments'

/** Takes files that are dropped or pasted anywhere on the page: a browser would else leave the page for
 * a file that misses its place. True while files are dragged over it. */
export function useDropped(isOn: boolean, onFiles: (files: readonly File[]) => void): boolean {
  const [isTarget, setTarget] = useState(false)
  const take = useEffectEvent((event: Event, data: DataTransfer | null): void => {
    setTarget(false)
    const files = data ? filesOf(data) : []
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  })
  useEffect(() => {
    if (!isOn) return undefined
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setTarget(true)
    }
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setTarget(false)
    }
    const drop = (event: DragEvent): void => take(event, event.dataTransfer)
    const paste = (event: ClipboardEvent): void => take(event, event.clipboardData)
    const ends = new AbortController()
    const { signal } = ends
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('dragleave', leave, { signal })
    document.addEventListener('drop', drop, { signal })
    document.addEventListener('paste', paste, { signal })
    return () => ends.abort()
  }, [isOn])
  return isTarget
}
