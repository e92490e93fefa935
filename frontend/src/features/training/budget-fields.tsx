import { Card } from '@/components/card'
import { NumberField } from '@/components/number-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'

import { SYSTEM_LIMITS, useTrainingDraft } from './form-draft'
import { text } from '@/strings/training'

const { form } = text

export function BudgetFields({ error }: Readonly<{ error: ApiError | null }>) {
  const draft = useTrainingDraft()
  return (
    <Card title={form.budget}>
      <div className="grid grid-cols-2 items-start gap-3 lg:grid-cols-4">
        <NumberField
          label={form.maxTokens}
          value={draft.maxTokens}
          onChange={(maxTokens) => draft.change({ maxTokens })}
          minimum={1}
          integer
          placeholder={text.noLimit}
          error={fieldMessage(error, 'budget.max_tokens')}
        />
        <NumberField
          label={form.maxCost}
          value={draft.maxCost}
          onChange={(maxCost) => draft.change({ maxCost })}
          minimum={0}
          placeholder={text.noLimit}
          error={fieldMessage(error, 'budget.max_cost')}
        />
        <NumberField
          label={form.keep}
          value={draft.keep}
          onChange={(keep) => draft.change({ keep: keep ?? 5 })}
          minimum={1}
          maximum={1_000}
          integer
          help={form.keepHelp}
          error={fieldMessage(error, 'keep_checkpoints')}
        />
      </div>
      <h3 className="pt-4 pb-2 text-sm font-medium">{form.perSystem}</h3>
      <div className="grid grid-cols-2 items-start gap-3 lg:grid-cols-4">
        {SYSTEM_LIMITS.map((limit) => (
          <NumberField
            key={limit}
            label={form.systemLimits[limit]}
            value={draft.perSystem[limit]}
            onChange={(value) =>
              draft.change({ perSystem: { ...draft.perSystem, [limit]: value } })
            }
            minimum={limit === 'max_cost' ? 0 : 1}
            integer={limit === 'max_tokens' || limit === 'max_completion_tokens_per_call'}
            placeholder={limit === 'max_cost' ? text.noLimit : form.systemDefault}
            error={fieldMessage(error, `per_system.${limit}`)}
          />
        ))}
      </div>
    </Card>
  )
}
