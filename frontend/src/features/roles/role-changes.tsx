import { Disclosure } from '@/components/disclosure'
import { WordDiff } from '@/components/word-diff'
import type { components } from '@/generated/api'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

type PoolDiff = components['schemas']['PoolDiff']
type Change = components['schemas']['FieldChange']
type What = keyof typeof text.what

const text = strings.roles.draft
const SHOWN = 100
const FIELDS = [
  'name',
  'family',
  'description',
  'capabilities',
  'prompt',
  'tools',
  'output_form',
  'refuse_condition',
  'enabled',
] as const

interface RoleChange {
  key: string
  what: What
  fields: Change[]
}

/** What differs, role by role; a role that comes or goes is told whole. */
export function RoleChanges({ diff }: Readonly<{ diff: PoolDiff }>) {
  const roles = changesOf(diff)
  return (
    <div className="flex flex-col gap-3">
      <p>
        {text.summary(
          formatCount(diff.added.length),
          formatCount(diff.removed.length),
          formatCount(diff.changed.length),
        )}
      </p>
      {diff.moved ? <p>{text.moved}</p> : null}
      {roles.slice(0, SHOWN).map(({ key, what, fields }) => (
        <Disclosure
          key={key}
          title={key}
          hint={text.what[what]}
          defaultOpen={what === 'changed'}
          className="rounded-md border border-line px-2"
        >
          <dl className="flex flex-col gap-2 text-xs">
            {fields.map((change) => (
              <div key={change.name}>
                <dt className="text-ink-3">{change.name.replaceAll('_', ' ')}</dt>
                <dd className="min-w-0 break-words">
                  <Values change={change} what={what} />
                </dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      ))}
      {roles.length > SHOWN ? <p>{text.more(formatCount(roles.length - SHOWN))}</p> : null}
    </div>
  )
}

function changesOf({ changed, added, removed }: PoolDiff): RoleChange[] {
  return [
    ...changed.map(({ key, fields }) => ({ key, fields, what: 'changed' as const })),
    ...added.map((role) => ({
      key: role.key,
      what: 'added' as const,
      fields: FIELDS.map((name) => ({ name, before: '', after: role[name] })),
    })),
    ...removed.map((role) => ({
      key: role.key,
      what: 'removed' as const,
      fields: FIELDS.map((name) => ({ name, before: role[name], after: '' })),
    })),
  ]
}

function Values({ change, what }: Readonly<{ change: Change; what: What }>) {
  const [before, after] = [said(change.before), said(change.after)]
  if (what !== 'changed') return <p className="whitespace-pre-wrap">{after || before || '—'}</p>
  return <WordDiff before={before} after={after} />
}

function said(value: unknown): string {
  if (typeof value === 'boolean') return text.enabled(value)
  return Array.isArray(value) ? value.join('\n') : String(value)
}
