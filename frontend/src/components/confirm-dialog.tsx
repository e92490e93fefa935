import type { ComponentProps } from 'react'

import { FormDialog } from './form-dialog'

type Form = ComponentProps<typeof FormDialog>

interface Props extends Pick<Form, 'title' | 'action' | 'dismiss' | 'deed' | 'onClose'> {
  body: string
  onConfirm: () => void
}

/** Asks before something that cannot be undone. */
export const ConfirmDialog = ({ body, onConfirm, ...form }: Readonly<Props>) => (
  <FormDialog {...form} variant="danger" onSubmit={onConfirm} className="flex flex-col gap-3">
    <p>{body}</p>
  </FormDialog>
)
