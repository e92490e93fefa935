import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { strings } from '@/strings/studio'
import { text } from '@/strings/designs'

import type { Outcome } from './use-download'

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
