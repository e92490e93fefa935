import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { CheckboxButton, CheckboxField, Text } from 'react-aria-components'

import { cx } from './cx'

interface Props {
  isSelected: boolean
  onChange: (selected: boolean) => void
  children: ReactNode
  help?: ReactNode
  className?: string
}

export function Checkbox({ isSelected, onChange, children, help, className }: Readonly<Props>) {
  return (
    <CheckboxField isSelected={isSelected} onChange={onChange} className={className ?? ''}>
      <CheckboxButton className="group flex cursor-pointer items-start gap-2 text-sm outline-none">
        <span
          className={cx(
            'mt-0.5 grid size-4 shrink-0 place-items-center rounded-sm border border-line-strong bg-surface-1',
            'group-data-[selected]:border-accent group-data-[selected]:bg-accent',
            'group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent',
          )}
        >
          <Check
            size={12}
            aria-hidden
            strokeWidth={3}
            className="invisible text-accent-ink group-data-[selected]:visible"
          />
        </span>
        <span className="min-w-0">{children}</span>
      </CheckboxButton>
      {help ? (
        <Text slot="description" className="ml-6 block text-xs text-ink-3">
          {help}
        </Text>
      ) : null}
    </CheckboxField>
  )
}
