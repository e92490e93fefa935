import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { Fact } from '@/components/fact'
import { FormDialog } from '@/components/form-dialog'
import { TextArea } from '@/components/text-area'
import { TitledPart } from '@/components/titled-part'
import { Began } from '@/lib/api/began'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { formatCost, formatDateTime } from '@/lib/format'
import { notify } from '@/lib/toasts'
import { text } from '@/strings/agents'
import { strings } from '@/strings/studio'

import { agentQuery, type Agent } from './use-agents'

const { page: words } = text

/** What an agent is, whatever it did. */
export function ProfileCard({ agent }: Readonly<{ agent: Agent }>) {
  const endpoints = useQuery(queries.endpoints).data
  const isSmall = endpoints?.find(({ key }) => key === agent.endpoint)?.is_small === true
  return (
    <Card title={words.profile} actions={<Edit agent={agent} />}>
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">{agent.description}</p>
        <dl className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
          <Fact name={words.model} title={agent.model}>
            {agent.model}
          </Fact>
          <Fact name={words.price}>
            {formatCost(agent.prompt_price)} / {formatCost(agent.completion_price)}
          </Fact>
          <Fact name={words.tools}>{agent.tools.join(', ') || words.none}</Fact>
          <Fact name={words.embedded}>{agent.embedded ? words.yes : words.notYet}</Fact>
          <Fact name={words.since}>{formatDateTime(agent.created_at)}</Fact>
        </dl>
        <TitledPart title={words.prompt} aside={<CopyButton text={agent.prompt} />}>
          <p className="rounded-md bg-surface-0 p-3 leading-relaxed whitespace-pre-wrap">
            {agent.prompt}
          </p>
          <p className="text-xs text-ink-3">
            {agent.has_own_prompt
              ? words.promptOwn
              : words.promptOfRole(strings.common.version(agent.role_version))}
          </p>
        </TitledPart>
        {agent.memory ? (
          <TitledPart title={words.memory} aside={<CopyButton text={agent.memory} />}>
            <p className="rounded-md bg-surface-0 p-3 leading-relaxed whitespace-pre-wrap">
              {agent.memory}
            </p>
          </TitledPart>
        ) : null}
        {agent.edited_at ? (
          <p className="text-xs text-ink-3">
            {words.edited(formatDateTime(agent.edited_at), agent.edited_by)}
          </p>
        ) : null}
        {agent.capabilities.length > 0 ? (
          <TitledPart title={words.capabilities}>{agent.capabilities.join(', ')}</TitledPart>
        ) : null}
        {agent.output_form ? (
          <TitledPart title={words.outputForm}>{agent.output_form}</TitledPart>
        ) : null}
        {agent.refuse_condition ? (
          <TitledPart title={words.refuses}>
            {agent.refuse_condition}
            {isSmall ? <p className="text-xs text-warn">{words.refusesSmall}</p> : null}
          </TitledPart>
        ) : null}
      </div>
    </Card>
  )
}

/** For curators: the others read. */
function Edit({ agent }: Readonly<{ agent: Agent }>) {
  const [isOpen, setOpen] = useState(false)
  if (useMe()?.permissions.curate !== true) return null
  return (
    <>
      <Button size="sm" onPress={() => setOpen(true)}>
        {text.own.action}
      </Button>
      {isOpen ? <OwnDialog agent={agent} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

const { own: ownWords, page } = text

const ownOf = (agent: Pick<Agent, 'prompt' | 'has_own_prompt' | 'memory'>) => ({
  prompt: agent.has_own_prompt ? agent.prompt : '',
  memory: agent.memory,
})

/** A prompt and a memory of the agent's own, for what is begun from now on. */
export function OwnDialog({ agent, onClose }: Readonly<{ agent: Agent; onClose: () => void }>) {
  const client = useQueryClient()
  // As it was when the dialog was opened: what somebody else saves meanwhile is no change of ours.
  const [before] = useState(() => ownOf(agent))
  const [began] = useState(() => new Began(before))
  const [prompt, setPrompt] = useState(before.prompt)
  const [memory, setMemory] = useState(before.memory)
  const changed = {
    ...(prompt === before.prompt ? {} : { prompt }),
    ...(memory === before.memory ? {} : { memory }),
  }
  const params = { path: { id: agent.id } }
  const save = useMutation({
    mutationFn: async () => {
      const body = await began.changes({ prompt, memory }, async () =>
        ownOf(await unwrap(api.GET('/api/agents/{id}', { params }))),
      )
      return unwrap(api.PATCH('/api/agents/{id}', { params, body }))
    },
    onSuccess: (saved) => {
      client.setQueryData(agentQuery(agent.id).queryKey, saved)
      notify(ownWords.done)
      onClose()
    },
  })
  const error = save.error ? toApiError(save.error) : null
  return (
    <FormDialog
      wide
      dismissable={Object.keys(changed).length === 0}
      onClose={onClose}
      title={ownWords.title}
      action={strings.common.save}
      deed={save}
      isDisabled={Object.keys(changed).length === 0}
      onSubmit={() => save.mutate()}
    >
      <p className="text-ink-2">{ownWords.body}</p>
      <TextArea
        label={page.prompt}
        help={ownWords.promptHelp}
        placeholder={agent.role_prompt}
        rows={6}
        value={prompt}
        onChange={setPrompt}
        error={fieldMessage(error, 'prompt')}
      />
      <TextArea
        label={page.memory}
        help={ownWords.memoryHelp}
        value={memory}
        onChange={setMemory}
        error={fieldMessage(error, 'memory')}
      />
      {agent.count > 0 ? <p className="text-xs text-ink-3">{ownWords.earned}</p> : null}
    </FormDialog>
  )
}
