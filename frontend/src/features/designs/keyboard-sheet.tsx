import { Dialog } from '@/components/dialog'

import { text } from '@/strings/designs'

const words = text.keys

interface Props {
  readOnly: boolean
  onClose: () => void
}

/** Every key of the designer. */
export function KeyboardSheet({ readOnly, onClose }: Readonly<Props>) {
  const groups = words.groups.filter(({ edits }) => !edits || !readOnly)
  return (
    <Dialog isOpen wide title={words.title} onClose={onClose}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {groups.map(({ title, keys }) => (
          <section key={title} className="flex flex-col gap-1.5">
            <h3 className="text-sm font-semibold">{title}</h3>
            <dl className="flex flex-col gap-1">
              {keys.map(([key, does]) => (
                <div key={key} className="flex items-baseline gap-3">
                  <dt className="w-28 shrink-0">
                    <kbd className="rounded-md border border-line bg-surface-2 px-1.5 py-0.5 text-xs whitespace-nowrap">
                      {key}
                    </kbd>
                  </dt>
                  <dd className="min-w-0 text-ink-2">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
