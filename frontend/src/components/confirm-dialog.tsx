import type { Problem } from '@/lib/api/errors'
import { strings } from '@/strings/studio'

import { Button } from './button'
import { Dialog } from './dialog'
import { ErrorPanel } from './error-panel'

interface Props {
  title: string
  body: string
  action: string
  isPending: boolean
  problem: Problem | null
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone; a refusal is shown in place. */
export function ConfirmDialog(props: Readonly<Props>) {
  const { title, body, action, isPending, problem, onConfirm, onClose } = props
  return (
    <Dialog
      isOpen
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button variant="danger" isPending={isPending} onPress={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{body}</p>
        {problem ? <ErrorPanel problem={problem} /> : null}
      </div>
    </Dialog>
  )
}
