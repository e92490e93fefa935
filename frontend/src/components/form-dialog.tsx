import type { ComponentProps } from 'react'

import { strings } from '@/strings/studio'

import { Button } from './button'
import { Dialog } from './dialog'
import { Refusal } from './query-state'

/** What a mutation tells of itself. */
export interface Deed {
  readonly isPending: boolean
  readonly error: unknown
}

interface Props extends Omit<ComponentProps<typeof Dialog>, 'isOpen' | 'footer'> {
  /** The name of the button that does it. */
  action: string
  deed: Deed
  onSubmit: () => void
  isDisabled?: boolean
  variant?: 'primary' | 'danger'
  /** The button that changes nothing, where “Cancel” would be unclear. */
  dismiss?: string
  /** False where a refusal is shown at its field. */
  showsError?: boolean
  className?: string
}

/** Asks for what a deed needs, and does it; a refusal is shown in place. */
export function FormDialog(props: Readonly<Props>) {
  const { action, deed, onSubmit, isDisabled = false, showsError = true, ...rest } = props
  const { variant = 'primary', dismiss = strings.common.cancel, ...about } = rest
  const { className = 'flex flex-col gap-4', children, ...dialog } = about
  return (
    <Dialog
      isOpen
      {...dialog}
      footer={
        <>
          <Button onPress={dialog.onClose}>{dismiss}</Button>
          <Button
            variant={variant}
            isPending={deed.isPending}
            isDisabled={isDisabled}
            onPress={onSubmit}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className={className}>
        {children}
        {deed.error && showsError ? (
          <div className="col-span-full">
            <Refusal of={deed} />
          </div>
        ) : null}
      </div>
    </Dialog>
  )
}
