import { RotateCcw } from 'lucide-react'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfigForm } from '@/components/config-form'
import { Disclosure } from '@/components/disclosure'
import type { ApiError } from '@/lib/api/errors'
import { changedConfig, configGroups, type ConfigField } from '@/lib/config-schema'

import { useTrainingDraft } from './form-draft'
import { text } from '@/strings/training'
import type { TrainableMethod } from './use-training'

const { form } = text

interface Props {
  method: TrainableMethod
  /** With the preset's values. */
  fields: readonly ConfigField[]
  error: ApiError | null
}

/** Every setting of the method, in the groups that its schema names; the first group is open. */
export function SettingsFields({ method, fields, error }: Readonly<Props>) {
  const { config, change } = useTrainingDraft()
  const changed = Object.keys(changedConfig(fields, config))
  return (
    <Card
      title={form.config}
      actions={
        changed.length > 0 ? (
          <Button
            size="sm"
            variant="quiet"
            onPress={() => change({ config: {} })}
            icon={<RotateCcw size={14} aria-hidden />}
          >
            {form.restore}
          </Button>
        ) : null
      }
    >
      <p className="pb-2 text-xs text-ink-2">{form.configHelp}</p>
      {configGroups(method.config_schema, fields).map((group, index) => {
        const here = group.fields.filter(({ key }) => changed.includes(key)).length
        const isWrong = error?.fields.some(({ field }) =>
          group.fields.some(({ key }) => field === `config.${key}`),
        )
        return (
          <Disclosure
            key={`${group.title}/${isWrong === true}`}
            className="border-t border-line first-of-type:border-t-0"
            title={group.title || form.general}
            hint={here > 0 ? <Badge tone="accent">{form.changed(here)}</Badge> : null}
            defaultOpen={index === 0 || isWrong === true}
          >
            <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
              <ConfigForm
                fields={group.fields}
                values={config}
                onChange={(next) => change({ config: next })}
                error={error}
                errorPath="config"
              />
            </div>
          </Disclosure>
        )
      })}
    </Card>
  )
}
