import { Button } from './button'
import { CopyButton } from './copy-button'
import { Dialog } from './dialog'

interface Props {
  title: string
  body: string
  done: string
  secret: string
  onClose: () => void
}

/** What is shown once: only the button closes it, not a click beside it. */
export function SecretDialog({ title, body, done, secret, onClose }: Readonly<Props>) {
  return (
    <Dialog
      isOpen
      dismissable={false}
      title={title}
      onClose={onClose}
      footer={
        <Button variant="primary" onPress={onClose}>
          {done}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">{body}</p>
        <div className="flex items-center gap-2 rounded-md border border-line bg-surface-0 p-2">
          <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{secret}</code>
          <CopyButton text={secret} wide />
        </div>
      </div>
    </Dialog>
  )
}
