import { Check, ChevronDown } from 'lucide-react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { buttonClass } from './button-class'
import { cx } from './cx'

export interface Choice {
  readonly key: string
  readonly label: string
  readonly description?: string
}

interface Props {
  label: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (keys: string[]) => void
  /** Said when there is nothing to choose. */
  empty?: string
  atLeastOne?: boolean
}

/** Several of many, in a menu that stays open. The order is that of the choices. */
export function MenuChoice(props: Readonly<Props>) {
  const { label, choices, chosen, onChange, empty, atLeastOne = false } = props
  if (choices.length === 0)
    return empty ? <span className="text-xs text-ink-3">{empty}</span> : null
  return (
    <MenuTrigger>
      <Button className={buttonClass({ size: 'sm' })}>
        {label}
        <span className="text-ink-3">{chosen.length > 0 ? chosen.length : ''}</span>
        <ChevronDown size={14} aria-hidden className="text-ink-3" />
      </Button>
      <Popover className="max-h-96 w-72 max-w-[calc(100vw-2rem)] overflow-auto rounded-lg border border-line bg-surface-1 p-1 shadow-float">
        <Menu
          aria-label={label}
          className="outline-none"
          selectionMode="multiple"
          disallowEmptySelection={atLeastOne}
          selectedKeys={chosen}
          onSelectionChange={(keys) =>
            onChange(choices.map(({ key }) => key).filter((key) => keys === 'all' || keys.has(key)))
          }
        >
          {choices.map(({ key, label: name, description }) => (
            <MenuItem
              key={key}
              id={key}
              textValue={name}
              className="flex cursor-default items-start gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-[focused]:bg-surface-2"
            >
              {({ isSelected }) => (
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
              )}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
