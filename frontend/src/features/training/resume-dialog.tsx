import { useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { NumberField } from '@/components/number-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { formatCost, formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

import { text } from '@/strings/training'
import type { Budget, Training } from './use-training'

const { resume: words, form } = text

interface Props {
  job: Training
  isPending: boolean
  error: Error | null
  onResume: (budget: Budget) => void
  onClose: () => void
}

/** Asks for the limits of a training whose budget is spent; it begins with those that it had. */
export function ResumeDialog({ job, isPending, error, onResume, onClose }: Readonly<Props>) {
  const [budget, setBudget] = useState<Budget>(job.budget)
  const problem = error ? toApiError(error) : null
  const hasField = problem?.fields.some(({ field }) => /^budget(\.|$)/.test(field)) ?? false
  return (
    <Dialog
      isOpen
      title={words.title(job.name)}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button variant="primary" isPending={isPending} onPress={() => onResume(budget)}>
            {text.actions.resume}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>{words.body(formatCount(job.charged_tokens), formatCost(job.charged_cost))}</p>
        <div className="grid items-start gap-3 sm:grid-cols-2">
          <NumberField
            label={form.maxTokens}
            value={budget.max_tokens ?? null}
            onChange={(max_tokens) => setBudget({ ...budget, max_tokens })}
            minimum={1}
            integer
            placeholder={text.noLimit}
            error={fieldMessage(problem, 'budget.max_tokens')}
          />
          <NumberField
            label={form.maxCost}
            value={budget.max_cost ?? null}
            onChange={(max_cost) => setBudget({ ...budget, max_cost })}
            minimum={0}
            placeholder={text.noLimit}
            error={fieldMessage(problem, 'budget.max_cost')}
          />
        </div>
        {problem && hasField ? (
          <p role="alert" className="text-xs text-bad">
            {fieldMessage(problem, 'budget') ?? problem.message}
          </p>
        ) : null}
        {problem && !hasField ? <ErrorPanel problem={problem} /> : null}
      </div>
    </Dialog>
  )
}
