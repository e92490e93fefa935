import { useCallback, useState } from 'react'

import { toApiError, type ApiError } from '@/lib/api/errors'
import { saveFile } from '@/lib/save-file'

import { useDesignStore } from './design-store'
import { useSaverStore } from './saver-context'
import { exportDesign, programLeavesOut, type FileFormat } from './use-designs'

const FILES = ['json', 'graphml', 'mermaid', 'python'] as const satisfies readonly FileFormat[]
export const FORMATS = [...FILES, 'svg', 'png'] as const
export type Format = (typeof FORMATS)[number]

/** What is to be read after a download: why there is no file, or what the file does without. */
export type Outcome =
  | { readonly kind: 'refused'; readonly format: Format; readonly problem: ApiError }
  | { readonly kind: 'leftOut'; readonly sentences: readonly string[] }

/** Downloads the design as a file. `outcome` stays until it is closed: it asks for a change. */
export function useDownload(id: string) {
  const saver = useSaverStore()
  const store = useDesignStore()
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const download = useCallback(
    (format: Format) => {
      const begin = async (): Promise<void> => {
        if (format === 'svg' || format === 'png') {
          const { name, spec } = store.getState().history.present
          // Loaded when it is wanted: few draw pictures.
          const { downloadPicture } = await import('./picture-file')
          await downloadPicture(spec, name, format)
          return
        }
        // What is downloaded is what is on the screen, or nothing.
        await saver.flush()
        const { file, name } = await exportDesign(id, format)
        saveFile(file, name)
        if (format !== 'python') return
        const sentences = await programLeavesOut(id)
        if (sentences.length > 0) setOutcome({ kind: 'leftOut', sentences })
      }
      begin().catch((thrown: unknown) =>
        setOutcome({ kind: 'refused', format, problem: toApiError(thrown) }),
      )
    },
    [id, saver, store],
  )
  const close = useCallback(() => setOutcome(null), [])
  return { download, outcome, close }
}
