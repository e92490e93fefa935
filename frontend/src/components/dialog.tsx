import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'

import { strings } from '@/strings/studio'

import { IconButton } from './button'
import { cx } from './cx'

interface Props {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
  /** “page”: as wide as what a browser shows. */
  wide?: boolean | 'page'
  /** False for what would be lost: only its own buttons close it. */
  dismissable?: boolean
}

/** A modal sheet: centred on a desk, from the bottom on a phone. Focus stays inside and returns after. */
export function Dialog(props: Readonly<Props>) {
  const { title, isOpen, onClose, children, footer, wide = false, dismissable = true } = props
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable={dismissable}
      isKeyboardDismissDisabled={!dismissable}
      className="fixed inset-0 z-40 grid items-end justify-items-center bg-[oklch(0.15_0.01_262/0.45)] sm:items-center sm:p-6"
    >
      <Modal
        className={cx(
          // Clipped, not hidden: what is hidden scrolls to a focused field, and the title with it.
          'flex max-h-[92dvh] w-full flex-col overflow-clip rounded-t-lg border border-line bg-surface-1 shadow-float sm:rounded-lg',
          wide === 'page' ? 'sm:max-w-5xl' : wide ? 'sm:max-w-2xl' : 'sm:max-w-md',
        )}
      >
        <AriaDialog className="flex min-h-0 flex-col outline-none">
          <header className="flex shrink-0 items-center justify-between gap-4 border-b border-line py-2.5 pr-2.5 pl-4">
            <Heading slot="title" className="text-base font-semibold">
              {title}
            </Heading>
            {dismissable ? (
              <IconButton
                label={strings.common.close}
                onPress={onClose}
                icon={<X size={16} aria-hidden />}
              />
            ) : null}
          </header>
          <div className="relative min-h-0 overflow-auto p-4">{children}</div>
          {footer ? (
            <footer className="flex shrink-0 justify-end gap-2 border-t border-line bg-surface-0 px-4 py-3">
              {footer}
            </footer>
          ) : null}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
