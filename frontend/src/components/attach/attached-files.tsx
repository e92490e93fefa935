import { Paperclip, X } from 'lucide-react'
import { FileTrigger } from 'react-aria-components'

import { Button, IconButton } from '@/components/button'
import { cx } from '@/components/cx'
import { Working } from '@/components/working'
import { FILE_MAX_BYTES, FILES_MAX, FILES_MAX_BYTES } from '@/generated/events'
import { formatBytes } from '@/lib/format'
import { strings } from '@/strings/studio'

import { attach, remove, type AttachedFile, type Attachments, type Files } from './attachments'

const words = strings.ask.files

interface Props {
  files: Files
  /** Where they are kept. */
  kept: Attachments
  error?: string | undefined
  isDisabled?: boolean
  className?: string
}

/** The files that come with the question, and the way to attach more. */
export function AttachedFiles(props: Readonly<Props>) {
  const { files, kept, error, isDisabled = false, className } = props
  return (
    <div className={cx('flex flex-col gap-2', className)}>
      {files.length > 0 ? (
        <ul aria-label={words.label} className="flex flex-col gap-1.5">
          {files.map((file) => (
            <FileLine key={file.key} file={file} onRemove={() => remove(kept, file)} />
          ))}
        </ul>
      ) : null}
      {error ? (
        <p role="alert" className="text-xs font-medium text-bad">
          {error}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <FileTrigger allowsMultiple onSelect={(chosen) => attach(kept, chosen ?? [])}>
          <Button size="sm" icon={Paperclip} isDisabled={isDisabled}>
            {words.attach}
          </Button>
        </FileTrigger>
        <p className="min-w-0 flex-1 basis-56 text-xs text-ink-3">
          {words.hint(FILES_MAX, FILE_MAX_BYTES / 1e6, FILES_MAX_BYTES / 1e6)}
        </p>
      </div>
    </div>
  )
}

interface LineProps {
  file: AttachedFile
  onRemove: () => void
}

function FileLine({ file, onRemove }: Readonly<LineProps>) {
  const { name, size, sent, id, problem } = file
  const isSending = id === null && problem === null
  return (
    <li
      className={cx(
        'flex items-center gap-2 rounded-md border py-1 pr-1 pl-2.5 text-xs',
        problem ? 'border-bad' : 'border-line bg-surface-0',
      )}
    >
      {isSending ? (
        <Working />
      ) : (
        <Paperclip size={13} aria-hidden className="shrink-0 text-ink-3" />
      )}
      <span className="min-w-0 flex-1">
        <span className="font-medium wrap-anywhere">{name}</span>{' '}
        <span className="whitespace-nowrap text-ink-3">
          {isSending
            ? words.sending(formatBytes(Math.min(sent, size)), formatBytes(size))
            : formatBytes(size)}
        </span>
        {problem ? (
          <span role="alert" className="block font-medium text-bad">
            {problem}
          </span>
        ) : null}
      </span>
      <IconButton label={words.remove(name)} icon={X} onPress={onRemove} />
    </li>
  )
}
