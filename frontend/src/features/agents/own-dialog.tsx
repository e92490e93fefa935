import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { TextArea } from '@/components/text-area'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { notify } from '@/lib/toasts'
import { strings } from '@/strings/studio'

import { text } from '@/strings/agents'
import { agentQuery, type Agent } from './use-agents'

const { own: words, page } = text

interface Props {
  agent: Agent
  onClose: () => void
}

/** A prompt and a memory of the agent's own, for what is begun from now on. */
export function OwnDialog({ agent, onClose }: Readonly<Props>) {
  const client = useQueryClient()
  // As it was when the dialog was opened: what somebody else saves meanwhile is no change of ours.
  const [before] = useState(() => ({
    prompt: agent.has_own_prompt ? agent.prompt : '',
    memory: agent.memory,
  }))
  const [prompt, setPrompt] = useState(before.prompt)
  const [memory, setMemory] = useState(before.memory)
  const changed = {
    ...(prompt === before.prompt ? {} : { prompt }),
    ...(memory === before.memory ? {} : { memory }),
  }
  const save = useMutation({
    mutationFn: () =>
      unwrap(api.PATCH('/api/agents/{id}', { params: { path: { id: agent.id } }, body: changed })),
    onSuccess: (saved) => {
      client.setQueryData(agentQuery(agent.id).queryKey, saved)
      notify(words.done)
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      wide
      dismissable={Object.keys(changed).length === 0}
      onClose={onClose}
      title={words.title}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            isPending={save.isPending}
            isDisabled={Object.keys(changed).length === 0}
            onPress={() => save.mutate()}
          >
            {strings.common.save}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">{words.body}</p>
        <TextArea
          label={page.prompt}
          help={words.promptHelp}
          placeholder={agent.role_prompt}
          rows={6}
          value={prompt}
          onChange={setPrompt}
        />
        <TextArea label={page.memory} help={words.memoryHelp} value={memory} onChange={setMemory} />
        {agent.count > 0 ? <p className="text-xs text-ink-3">{words.earned}</p> : null}
        {save.error ? <ErrorPanel problem={toApiError(save.error)} /> : null}
      </div>
    </Dialog>
  )
}
