import { useQuery } from '@tanstack/react-query'

import { Select } from '@/components/select'
import { designChoices, type DesignChoice } from '@/lib/api/designs'

import { text } from '@/strings/evaluations'
import type { ArmDraft } from './form-draft'

const { form } = text
const DRAFT = ':draft'

interface Props {
  arm: ArmDraft
  onChange: (part: Partial<ArmDraft>) => void
  error: string | undefined
  versionError: string | undefined
}

/** Which graph the method “design” runs: a design, as it is or as a version of it. */
export function DesignFields({ arm, onChange, error, versionError }: Readonly<Props>) {
  const known = useQuery(designChoices).data ?? []
  const chosen = known.find(({ id }) => id === arm.design)
  return (
    <>
      <Select
        label={form.design}
        options={known.map(({ id, name, agent_count: agents }) => ({
          key: id,
          label: name,
          description: form.agents(agents),
        }))}
        value={arm.design}
        onChange={(design) => onChange({ design, design_version: null })}
        placeholder={known.length > 0 ? form.designPlaceholder : form.noDesign}
        error={error}
      />
      <Select
        label={form.designVersion}
        options={[{ key: DRAFT, label: form.designDraft }, ...versionsOf(chosen)]}
        value={arm.design_version === null ? DRAFT : String(arm.design_version)}
        onChange={(key) => onChange({ design_version: key === DRAFT ? null : Number(key) })}
        isDisabled={!chosen}
        error={versionError}
      />
    </>
  )
}

/** Newest first: versions are numbered from 1 and none ever goes. */
function versionsOf(design: DesignChoice | undefined): { key: string; label: string }[] {
  const count = design?.version_count ?? 0
  return Array.from({ length: count }, (_, index) => ({
    key: String(count - index),
    label: `v${count - index}`,
  }))
}
