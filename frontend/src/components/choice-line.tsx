import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

import { cx } from './cx'

interface Props {
  isSelected: boolean
  name: ReactNode
  description?: string | undefined
}

/** What a choice of a list or menu says: whether it is chosen, its name, and what it means. */
export const ChoiceLine = ({ isSelected, name, description }: Readonly<Props>) => (
  <>
    <Check
      size={14}
      aria-hidden
      className={cx('mt-0.5 shrink-0 text-accent', !isSelected && 'invisible')}
    />
    <span className="flex min-w-0 flex-col">
      {name}
      {description ? <span className="text-xs text-ink-3">{description}</span> : null}
    </span>
  </>
)
