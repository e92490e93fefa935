import { TriangleAlert } from 'lucide-react'
import { Button } from 'react-aria-components'

import { cx } from '@/components/cx'
import { Tooltip } from '@/components/tooltip'
import { usePreferences } from '@/lib/preferences'

import type { Problems } from './checker'
import { useDesignStore } from './design-store'
import { text } from '@/strings/designs'
import { PROPERTIES } from './side-panels'

interface Props {
  id: string
  problems: Problems
  size: number
}

/** The triangle on a card: what is wrong, for a pointer that rests, the keyboard and screen readers; a
 * press leads to the ways out. */
export function ProblemMark({ id, problems, size }: Readonly<Props>) {
  const { select } = useDesignStore().getState()
  const { setHidden } = usePreferences.getState()
  if (problems.length === 0) return null
  const isError = problems.some(({ severity }) => severity === 'error')
  const messages = problems.map(({ message }) => message)
  return (
    <Tooltip
      content={
        <ul className="flex flex-col gap-1">
          {messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      }
    >
      <Button
        aria-label={text.canvas.problems(messages)}
        className={cx(
          'nodrag shrink-0 cursor-pointer rounded-sm',
          isError ? 'text-bad' : 'text-warn',
        )}
        onPress={() => {
          select({ agents: new Set([id]) })
          setHidden(PROPERTIES, false)
        }}
      >
        <TriangleAlert size={size} aria-hidden />
      </Button>
    </Tooltip>
  )
}
