import { Ban, RotateCw, Tag, Trash2 } from 'lucide-react'

import { Button } from '@/components/button'
import { strings } from '@/strings/studio'

import type { Doable } from './doable'

const words = strings.runs.bulk

interface Props {
  doable: Doable
  /** How many are chosen. */
  all: number
  isDisabled: boolean
  onCancel: () => void
  onRetry: () => void
  onLabel: () => void
  onDelete: () => void
}

/** Each acts on those of the chosen runs that it can, and says how many where these are not all. */
export function DeedButtons(props: Readonly<Props>) {
  const { doable, all, isDisabled, onCancel, onRetry, onLabel, onDelete } = props
  const common = { size: 'sm', isDisabled } as const
  return (
    <>
      {doable.cancel.length > 0 ? (
        <Button {...common} onPress={onCancel} icon={<Ban size={14} aria-hidden />}>
          {words.part(words.cancel, doable.cancel.length, all)}
        </Button>
      ) : null}
      {doable.retry.length > 0 ? (
        <Button {...common} onPress={onRetry} icon={<RotateCw size={14} aria-hidden />}>
          {words.part(words.retry, doable.retry.length, all)}
        </Button>
      ) : null}
      <Button {...common} onPress={onLabel} icon={<Tag size={14} aria-hidden />}>
        {words.setLabel}
      </Button>
      {doable.delete.length > 0 ? (
        <Button
          {...common}
          variant="danger"
          onPress={onDelete}
          icon={<Trash2 size={14} aria-hidden />}
        >
          {words.part(words.remove, doable.delete.length, all)}
        </Button>
      ) : null}
    </>
  )
}
