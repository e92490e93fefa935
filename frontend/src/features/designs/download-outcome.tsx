import { useCallback, useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { toApiError, type ApiError } from '@/lib/api/errors'
import { saveFile } from '@/lib/save-file'
import { text } from '@/strings/designs'
import { strings } from '@/strings/studio'

import { useDesignStore } from './design-store'
import { useSaverStore } from './saver-context'
import { exportDesign, programLeavesOut, type FileFormat } from './use-designs'

const { tools: words } = text

interface Props {
  outcome: Outcome
  onClose: () => void
}

/** Why there is no file, or what the file does without. */
export function DownloadOutcome({ outcome, onClose }: Readonly<Props>) {
  const isRefused = outcome.kind === 'refused'
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isRefused ? words.notExported(words.formats[outcome.format]) : words.leftOutTitle}
      footer={<Button onPress={onClose}>{strings.common.close}</Button>}
    >
      {isRefused ? (
        <ErrorPanel problem={outcome.problem} />
      ) : (
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {outcome.sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

const FILES = [
  'json',
  'graphml',
  'mermaid',
  'python',
  'script',
] as const satisfies readonly FileFormat[]
export const FORMATS = [...FILES, 'svg', 'png'] as const
export type Format = (typeof FORMATS)[number]

/** A script has no picture: what it means is drawn by the studio, not by a person. */
export const formatsOf = (isScript: boolean): readonly Format[] => (isScript ? FILES : FORMATS)

/** What is to be read after a download: why there is no file, or what the file does without. */
type Outcome =
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
        if (format !== 'python' && format !== 'script') return
        const sentences = await programLeavesOut(id, format)
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
