import { useEffect } from 'react'

import { isOverPage, isTyping } from '@/lib/is-typing'
import { notify } from '@/lib/toasts'

import { clipOfText } from './clip-text'
import { pasteClip, pasteKept, removeSelection, takeClip } from './design-actions'
import { useDesignStore } from './design-store'
import { text } from '@/strings/designs'

const TYPE = 'text/plain'

/** Whether the clipboard is meant for the drawing: not with the focus in a text, nor with text marked. */
const isForDrawing = (event: ClipboardEvent): boolean =>
  !event.defaultPrevented &&
  !isTyping(event.target) &&
  !isOverPage(event.target) &&
  (getSelection()?.isCollapsed ?? true)

/** Copy, cut and paste by the browser's own events, which need nobody's permission: agents go to other
 * tabs, and survive a reload. */
export function useClipboard(readOnly: boolean): void {
  const store = useDesignStore()
  useEffect(() => {
    const copy = (event: ClipboardEvent): void => {
      const clip = isForDrawing(event) ? takeClip(store) : null
      if (clip === null) return
      event.clipboardData?.setData(TYPE, clip)
      event.preventDefault()
      if (event.type === 'cut' && !readOnly) removeSelection(store)
    }
    const paste = (event: ClipboardEvent): void => {
      if (readOnly || !isForDrawing(event)) return
      event.preventDefault()
      const read = clipOfText(event.clipboardData?.getData(TYPE) ?? '')
      if (read.kind === 'clip') pasteClip(store, read.clip)
      else if (read.kind === 'broken') notify(text.clip.broken)
      else pasteKept(store)
    }
    document.addEventListener('copy', copy)
    document.addEventListener('cut', copy)
    document.addEventListener('paste', paste)
    return () => {
      document.removeEventListener('copy', copy)
      document.removeEventListener('cut', copy)
      document.removeEventListener('paste', paste)
    }
  }, [readOnly, store])
}
