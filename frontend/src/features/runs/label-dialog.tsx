import { useState, type SyntheticEvent } from 'react'
import { Form } from 'react-aria-components'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/text-field'
import { strings } from '@/strings/studio'

import { LABEL_CHARS } from './filters'

const words = strings.runs.bulk

interface Props {
  count: number
  isPending: boolean
  onSave: (label: string) => void
  onClose: () => void
}

/** One label for one's notes on several runs. */
export function LabelDialog({ count, isPending, onSave, onClose }: Readonly<Props>) {
  const [label, setLabel] = useState('')
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (!isPending) onSave(label.trim())
  }
  return (
    <Dialog isOpen title={words.labelTitle(count)} onClose={onClose}>
      <Form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={words.labelName}
          value={label}
          maxLength={LABEL_CHARS}
          onChange={setLabel}
          help={words.labelHelp}
        />
        <div className="flex justify-end gap-2">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" isPending={isPending}>
            {strings.common.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
