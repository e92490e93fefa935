import { ChevronRight } from 'lucide-react'
import type { Ref } from 'react'
import { Button, Disclosure, DisclosurePanel, Heading } from 'react-aria-components'

import { ConfigForm } from '@/components/config-form'
import { NumberField } from '@/components/number-field'
import { TextField } from '@/components/text-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { usualReplyTokens, type Endpoint, type Method } from '@/lib/api/queries'
import type { ConfigField } from '@/lib/config-schema'
import { strings } from '@/strings/studio'

import { useDraft, type BudgetDraft } from './draft-store'

const budgetKeys: readonly (keyof BudgetDraft)[] = [
  'max_tokens',
  'max_completion_tokens_per_call',
  'max_seconds',
  'max_cost',
]
const minimum: Readonly<Record<keyof BudgetDraft, number>> = {
  max_tokens: 1,
  max_completion_tokens_per_call: 1,
  max_seconds: 1,
  max_cost: 0,
}

interface Props {
  method: Method
  fields: readonly ConfigField[]
  endpoint: Endpoint | undefined
  error: ApiError | null
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  triggerRef: Ref<HTMLButtonElement>
}

/** What most runs leave alone: the method's settings and the run's budget. */
export function Options(props: Readonly<Props>) {
  const { method, fields, endpoint, error, isOpen, onToggle, triggerRef } = props
  const { config, budget, reference, task, change } = useDraft()
  const replyTokens = usualReplyTokens(method, endpoint)
  const usual: Readonly<Partial<Record<keyof BudgetDraft, string>>> = {
    max_cost: strings.ask.noLimit,
    ...(replyTokens && { max_completion_tokens_per_call: String(replyTokens) }),
  }
  return (
    <Disclosure
      isExpanded={isOpen}
      onExpandedChange={onToggle}
      className="group border-t border-line"
    >
      <Heading level={2}>
        <Button
          ref={triggerRef}
          slot="trigger"
          className="flex w-full items-center gap-1.5 px-4 py-2 text-left text-xs font-medium text-ink-2 hover:text-ink data-[focus-visible]:-outline-offset-2"
        >
          <ChevronRight
            size={14}
            aria-hidden
            className="transition-transform duration-100 group-data-[expanded]:rotate-90"
          />
          {strings.ask.options}
          <span className="font-normal text-ink-3">
            {strings.ask.optionsHint(fields.length > 0)}
          </span>
        </Button>
      </Heading>
      <DisclosurePanel className="overflow-hidden">
        <div className="flex flex-col gap-4 px-4 pt-1 pb-4">
          {task === null ? (
            <TextField
              label={strings.ask.reference}
              help={strings.ask.referenceHelp}
              value={reference}
              onChange={(written) => change({ reference: written })}
              error={fieldMessage(error, 'reference')}
            />
          ) : null}
          {fields.length > 0 ? (
            <fieldset>
              <Legend>{strings.ask.methodConfig(method.name)}</Legend>
              <div className="grid gap-x-3 gap-y-3 sm:grid-cols-3">
                <ConfigForm
                  fields={fields}
                  values={config[method.key] ?? {}}
                  onChange={(values) => change({ config: { ...config, [method.key]: values } })}
                  error={error}
                />
              </div>
            </fieldset>
          ) : null}
          <fieldset>
            <Legend>{strings.ask.budget}</Legend>
            <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
              {budgetKeys.map((key) => (
                <NumberField
                  key={key}
                  label={strings.ask.budgetFields[key]}
                  value={budget[key]}
                  onChange={(value) => change({ budget: { ...budget, [key]: value } })}
                  minimum={minimum[key]}
                  integer={key !== 'max_cost'}
                  placeholder={usual[key] ?? strings.common.default}
                  error={fieldMessage(error, `budget.${key}`)}
                />
              ))}
            </div>
          </fieldset>
        </div>
      </DisclosurePanel>
    </Disclosure>
  )
}

function Legend({ children }: Readonly<{ children: string }>) {
  return <legend className="pb-2 text-xs font-semibold text-ink">{children}</legend>
}
