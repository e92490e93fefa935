import { Label, TextArea, TextField } from 'react-aria-components'

import { cx } from '@/components/cx'
import { QUERY_MAX_CHARS } from '@/generated/events'
import { hasBoard } from '@/lib/board-parts'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

interface Props {
  value: string
  onChange: (value: string) => void
  onSubmit: () => void
  error: string | undefined
}

const NEAR_LIMIT = QUERY_MAX_CHARS * 0.9

/** Grows with its text (`field-sizing`), up to half the window. */
export function QueryBox({ value, onChange, onSubmit, error }: Readonly<Props>) {
  return (
    <TextField
      value={value}
      onChange={onChange}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className="flex flex-col"
      data-slash-focus
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit()
        else event.continuePropagation()
      }}
    >
      <Label className="sr-only">{strings.ask.query}</Label>
      <TextArea
        placeholder={strings.ask.placeholder}
        rows={3}
        aria-keyshortcuts="Control+Enter"
        className={cx(
          'field-sizing-content max-h-[50dvh] min-h-24 w-full resize-none overflow-auto bg-transparent px-4 pt-3.5 pb-3 text-lg text-ink outline-none placeholder:text-ink-3',
          hasBoard(value) && 'font-mono',
        )}
      />
      <Remaining text={value} />
      {error ? (
        <p role="alert" className="px-4 pb-2 text-xs font-medium text-bad">
          {error}
        </p>
      ) : null}
    </TextField>
  )
}

function Remaining({ text }: Readonly<{ text: string }>) {
  if (text.length < NEAR_LIMIT) return null
  const left = QUERY_MAX_CHARS - Array.from(text).length
  return (
    <p
      className={cx(
        'px-4 pb-2 text-right text-xs',
        left < 0 ? 'font-medium text-bad' : 'text-ink-3',
      )}
    >
      {left < 0
        ? strings.ask.tooLong(formatCount(-left))
        : strings.ask.charactersLeft(formatCount(left))}
    </p>
  )
}
