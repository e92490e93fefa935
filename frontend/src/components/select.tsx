import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  Button,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
} from 'react-aria-components'

import { ChoiceLine } from './choice-line'
import { cx } from './cx'
import { FieldHelp, FieldLabel, inputClass } from './field-parts'

export interface Option {
  readonly key: string
  readonly label: string
  readonly description?: string
  readonly mark?: ReactNode
}

interface Props {
  label: string
  options: readonly Option[]
  value: string | null
  onChange: (key: string) => void
  help?: ReactNode
  error?: string
  placeholder?: string
  labelHidden?: boolean
  isDisabled?: boolean
  className?: string
}

export function Select(props: Readonly<Props>) {
  const { label, options, value, error, labelHidden = false } = props
  return (
    <AriaSelect
      {...(labelHidden ? { 'aria-label': label } : {})}
      value={value}
      onChange={(key) => {
        if (key !== null) props.onChange(String(key))
      }}
      placeholder={props.placeholder ?? ''}
      isInvalid={error !== undefined}
      // A list without options does not open; a press while they load would be lost silently.
      isDisabled={props.isDisabled === true || options.length === 0}
      validationBehavior="aria"
      className={cx('flex min-w-0 flex-col gap-1', props.className)}
    >
      {labelHidden ? null : <FieldLabel>{label}</FieldLabel>}
      <Button
        className={cx(
          inputClass,
          'flex h-8 items-center justify-between gap-2 text-left data-[pressed]:bg-surface-2 data-[focused]:outline-none',
          'data-[focus-visible]:outline-2 data-[focus-visible]:outline-accent',
        )}
      >
        <SelectValue className="truncate data-[placeholder]:text-ink-3">
          {({ selectedText, isPlaceholder, defaultChildren }) =>
            isPlaceholder ? defaultChildren : selectedText
          }
        </SelectValue>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
      </Button>
      <FieldHelp help={props.help} error={error} />
      <Popover className="max-h-80 max-w-[min(26rem,calc(100vw-2rem))] min-w-(--trigger-width) overflow-auto rounded-lg border border-line bg-surface-1 p-1 shadow-float">
        <ListBox items={options} className="outline-none">
          {(option) => <SelectOption option={option} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

function SelectOption({ option }: Readonly<{ option: Option }>) {
  return (
    <ListBoxItem
      id={option.key}
      textValue={option.label}
      className="flex cursor-default items-start gap-2 rounded-md px-2 py-1.5 outline-none data-[focused]:bg-surface-2"
    >
      {({ isSelected }) => (
        <ChoiceLine
          isSelected={isSelected}
          name={
            <span className="flex items-center gap-2">
              {option.label}
              {option.mark}
            </span>
          }
          description={option.description}
        />
      )}
    </ListBoxItem>
  )
}
