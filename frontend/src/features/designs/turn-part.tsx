import { useMutation } from '@tanstack/react-query'
import { FileCode, Network } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { toApiError } from '@/lib/api/errors'
import { text } from '@/strings/designs'
import { strings } from '@/strings/studio'

import { useDesignStore, useSpec } from './design-store'
import { placeAll, type DesignSpec } from './edits'
import { turnDesign, type Turned } from './use-designs'

const { turn: words } = text

/** A drawing turns into a script, and a script into a drawing. What the other can't say is told first. */
export function TurnPart() {
  const { edit, select } = useDesignStore().getState()
  const spec = useSpec()
  const into = spec.script === null ? 'script' : 'drawing'
  const [pending, setPending] = useState<Turned | null>(null)
  const take = (draft: DesignSpec): void => {
    select({})
    edit(() => placeAll(draft))
    setPending(null)
  }
  const turn = useMutation({
    mutationFn: () => turnDesign(spec, into),
    onSuccess: (turned) => (turned.changes.length > 0 ? setPending(turned) : take(turned.draft)),
  })
  if (into === 'script' && spec.agents.length === 0) return null
  return (
    <section className="flex flex-col items-start gap-2">
      <h2 className="text-sm font-semibold">{words.title}</h2>
      <p className="text-xs text-ink-2">{words.help[into]}</p>
      <Button
        size="sm"
        icon={into === 'script' ? FileCode : Network}
        isPending={turn.isPending}
        onPress={() => turn.mutate()}
      >
        {words.into[into]}
      </Button>
      {turn.error ? (
        <Refused error={turn.error} title={words.refused[into]} onClose={turn.reset} />
      ) : null}
      {pending ? (
        <Dialog
          isOpen
          title={words.changes}
          onClose={() => setPending(null)}
          footer={
            <>
              <Button onPress={() => setPending(null)}>{strings.common.cancel}</Button>
              <Button variant="primary" onPress={() => take(pending.draft)}>
                {words.into[into]}
              </Button>
            </>
          }
        >
          <Sentences sentences={pending.changes} />
        </Dialog>
      ) : null}
    </section>
  )
}

interface RefusedProps {
  error: unknown
  title: string
  onClose: () => void
}

function Refused({ error, title, onClose }: Readonly<RefusedProps>) {
  const problem = toApiError(error)
  return (
    <Dialog
      isOpen
      title={title}
      onClose={onClose}
      footer={<Button onPress={onClose}>{strings.common.close}</Button>}
    >
      {problem.fields.length > 0 ? (
        <Sentences sentences={problem.fields.map(({ message }) => message)} />
      ) : (
        <ErrorPanel problem={problem} />
      )}
    </Dialog>
  )
}

export function Sentences({ sentences }: Readonly<{ sentences: readonly string[] }>) {
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
