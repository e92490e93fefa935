import { Search, X } from 'lucide-react'
import { Button, Input, SearchField } from 'react-aria-components'

import { strings } from '@/strings/studio'

import { cx } from './cx'
import { inputClass } from './field-parts'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  onBlur?: () => void
  /** Enter. */
  onSubmit?: () => void
  maxLength?: number | undefined
  className?: string
}

/** `/` puts the focus here. */
export function SearchBox({ label, className, ...field }: Readonly<Props>) {
  return (
    <SearchField
      aria-label={label}
      {...field}
      data-slash-focus
      className={cx('group relative flex items-center', className)}
    >
      <Search size={14} aria-hidden className="absolute left-2.5 text-ink-3" />
      <Input
        placeholder={label}
        className={cx(inputClass, 'h-8 px-8 [&::-webkit-search-cancel-button]:hidden')}
      />
      <Button
        aria-label={strings.common.clear}
        className="absolute right-1 grid size-6 place-items-center rounded-sm text-ink-3 group-data-[empty]:hidden hover:text-ink"
      >
        <X size={14} aria-hidden />
      </Button>
    </SearchField>
  )
}
