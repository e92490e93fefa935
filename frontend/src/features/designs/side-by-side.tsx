import {
  PanelLeftClose,
  PanelLeftOpen,
  PanelRightClose,
  PanelRightOpen,
  type LucideIcon,
} from 'lucide-react'
import { useId, type ReactNode } from 'react'

import { cx } from '@/components/cx'
import { TipButton } from '@/components/tooltip'
import { usePreferences } from '@/lib/preferences'

import { DesignCanvas } from './design-canvas'
import { text } from '@/strings/designs'

import { RolePalette } from './role-palette'
import { PROPERTIES, ROLES } from './side-panels'

interface Props {
  readOnly: boolean
  children: ReactNode
}

/** At a desk: the roles, the canvas and the properties, of which those at the sides can be put away. */
export function SideBySide({ readOnly, children }: Readonly<Props>) {
  const hidden = usePreferences((state) => state.hidden)
  const [roles, properties] = [useId(), useId()]
  return (
    <div className="flex min-h-0 flex-1">
      {readOnly || hidden.has(ROLES) ? null : (
        <aside id={roles} className="w-60 shrink-0 border-r border-line bg-surface-1">
          <RolePalette />
        </aside>
      )}
      <div className="relative min-w-0 flex-1">
        <DesignCanvas readOnly={readOnly} />
        {readOnly ? null : <Toggle side="left" controls={roles} />}
        <Toggle side="right" controls={properties} />
      </div>
      {hidden.has(PROPERTIES) ? null : (
        <aside
          id={properties}
          aria-label={text.panel.label}
          className="w-80 shrink-0 overflow-auto border-l border-line bg-surface-1 xl:w-[22rem]"
        >
          {children}
        </aside>
      )}
    </div>
  )
}

interface Side {
  readonly name: string
  readonly word: keyof typeof text.panel.hide
  readonly close: LucideIcon
  readonly open: LucideIcon
  readonly className: string
}

const SIDES: Readonly<Record<'left' | 'right', Side>> = {
  left: {
    name: ROLES,
    word: 'roles',
    close: PanelLeftClose,
    open: PanelLeftOpen,
    className: 'left-3',
  },
  right: {
    name: PROPERTIES,
    word: 'properties',
    close: PanelRightClose,
    open: PanelRightOpen,
    className: 'right-3',
  },
}

function Toggle({ side, controls }: Readonly<{ side: keyof typeof SIDES; controls: string }>) {
  const { name, word, close, open, className } = SIDES[side]
  const isHidden = usePreferences((state) => state.hidden.has(name))
  const { setHidden } = usePreferences.getState()
  const label = isHidden ? text.panel.show[word] : text.panel.hide[word]
  const Icon = isHidden ? open : close
  return (
    <div className={cx('absolute top-3 z-10', className)}>
      <TipButton
        label={label}
        placement="bottom"
        aria-expanded={!isHidden}
        {...(isHidden ? {} : { 'aria-controls': controls })}
        icon={Icon}
        onPress={() => setHidden(name, !isHidden)}
      />
    </div>
  )
}
