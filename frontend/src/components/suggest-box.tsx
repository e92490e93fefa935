import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Button, ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components'

import { cx } from './cx'
import { inputClass } from './field-parts'

interface Props {
  label: string
  /** Says what the button beside it opens. */
  all: string
  /** Stands where nothing fits what is typed. */
  none: string
  suggestions: readonly string[]
  value: string
  /** Without spaces around it; once somebody chooses, presses Enter or leaves. */
  onChange: (text: string) => void
  maxLength: number
}

/** A text that is known already, mostly: typing narrows what is offered, and anything may be typed. */
export function SuggestBox(props: Readonly<Props>) {
  const { label, all, none, suggestions, value, onChange, maxLength } = props
  const [typed, setTyped] = useState(value)
  const [outside, setOutside] = useState(value)
  if (outside !== value) {
    setOutside(value)
    setTyped(value)
  }
  const ask = (text: string): void => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return (
    <ComboBox
      aria-label={label}
      allowsCustomValue
      // Opens at the first letter, also where the suggestions come only then.
      allowsEmptyCollection
      defaultItems={suggestions.map((name) => ({ name }))}
      inputValue={typed}
      onInputChange={setTyped}
      onChange={(key) => {
        if (key !== null) ask(String(key))
      }}
      onBlur={() => ask(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') ask(typed)
      }}
      className="relative flex items-center"
    >
      <Input placeholder={label} maxLength={maxLength} className={cx(inputClass, 'h-8 pr-8')} />
      <Button
        aria-label={all}
        className="absolute right-1 grid size-6 place-items-center rounded-sm text-ink-3 hover:text-ink"
      >
        <ChevronDown size={14} aria-hidden />
      </Button>
      <Popover className="max-h-60 w-(--trigger-width) overflow-auto rounded-lg border border-line bg-surface-1 p-1 shadow-float">
        <ListBox<{ name: string }>
          className="outline-none"
          renderEmptyState={() => <p className="px-2 py-1.5 text-ink-3">{none}</p>}
        >
          {({ name }) => (
            <ListBoxItem
              id={name}
              textValue={name}
              className="cursor-default truncate rounded-md px-2 py-1.5 outline-none data-[focused]:bg-surface-2"
            >
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
