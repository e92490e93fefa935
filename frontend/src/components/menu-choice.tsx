import { ChevronDown, Search } from 'lucide-react'
import {
  Autocomplete,
  Button,
  Input,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  SearchField,
  useFilter,
} from 'react-aria-components'

import { strings } from '@/strings/studio'

import { buttonClass } from './button-class'
import { ChoiceLine } from './choice-line'
import { cx } from './cx'
import { inputClass } from './field-parts'

/** More choices than this have a search field. */
const FEW = 15

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
  const { label, choices, chosen, empty } = props
  const { contains } = useFilter({ sensitivity: 'base' })
  if (choices.length === 0)
    return empty ? <span className="text-xs text-ink-3">{empty}</span> : null
  return (
    <MenuTrigger>
      <Button className={buttonClass({ size: 'sm' })}>
        {label}
        <span className="text-ink-3">{chosen.length > 0 ? chosen.length : ''}</span>
        <ChevronDown size={14} aria-hidden className="text-ink-3" />
      </Button>
      <Popover className="max-h-96 w-72 max-w-[calc(100vw-2rem)] scroll-pt-12 overflow-auto rounded-lg border border-line bg-surface-1 p-1 shadow-float">
        {choices.length > FEW ? (
          <Autocomplete
            filter={(name, typed) => typed.split(/\s+/).every((word) => contains(name, word))}
          >
            <SearchField
              autoFocus
              aria-label={strings.common.search}
              className="sticky -top-1 z-10 -mx-1 -mt-1 flex items-center bg-surface-1 p-2"
            >
              <Search size={14} aria-hidden className="absolute left-4.5 text-ink-3" />
              <Input
                placeholder={strings.common.search}
                className={cx(inputClass, 'h-8 pl-8 [&::-webkit-search-cancel-button]:hidden')}
              />
            </SearchField>
            <Choices {...props} />
          </Autocomplete>
        ) : (
          <Choices {...props} />
        )}
      </Popover>
    </MenuTrigger>
  )
}

function Choices({ label, choices, chosen, onChange, atLeastOne = false }: Readonly<Props>) {
  return (
    <Menu
      aria-label={label}
      className="outline-none"
      selectionMode="multiple"
      disallowEmptySelection={atLeastOne}
      selectedKeys={chosen}
      onSelectionChange={(keys) =>
        onChange(choices.map(({ key }) => key).filter((key) => keys === 'all' || keys.has(key)))
      }
      renderEmptyState={() => <p className="px-2 py-3 text-ink-2">{strings.common.noMatches}</p>}
    >
      {choices.map(({ key, label: name, description }) => (
        <MenuItem
          key={key}
          id={key}
          textValue={name}
          className="flex cursor-default items-start gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-[focused]:bg-surface-2"
        >
          {({ isSelected }) => (
            <ChoiceLine isSelected={isSelected} name={name} description={description} />
          )}
        </MenuItem>
      ))}
    </Menu>
  )
}
