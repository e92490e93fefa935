import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'

import { diffOf } from './design-diff'
import { useSpec } from './design-store'
import { text } from '@/strings/designs'
import { DiffView } from './diff-view'
import { versionQuery, type DesignVersionRow } from './use-designs'

const words = text.versions
const DRAWN = 'drawn'

interface Props {
  id: string
  number: number
  versions: readonly DesignVersionRow[]
}

/** What has changed from a version to what is drawn now, or to another version; the older one first. */
export function VersionDiff({ id, number, versions }: Readonly<Props>) {
  const [other, setOther] = useState(DRAWN)
  const options = [
    { key: DRAWN, label: words.drawn },
    ...versions
      .filter((each) => each.number !== number)
      .map((each) => ({
        key: String(each.number),
        label: `${words.number(each.number)} ${each.name}`.trim(),
      })),
  ]
  return (
    <div className="flex flex-col gap-2">
      <Select
        label={words.against}
        options={options}
        value={other}
        onChange={setOther}
        className="max-w-80"
      />
      {other === DRAWN ? (
        <ToDrawn id={id} number={number} />
      ) : (
        <Between
          id={id}
          older={Math.min(number, Number(other))}
          newer={Math.max(number, Number(other))}
        />
      )}
    </div>
  )
}

function ToDrawn({ id, number }: Readonly<{ id: string; number: number }>) {
  const version = useQuery(versionQuery(id, number))
  const spec = useSpec()
  if (version.isPending) return <WorkingBlock />
  if (version.isError)
    return <ErrorPanel problem={toApiError(version.error)} onRetry={() => void version.refetch()} />
  return <DiffView diff={diffOf(version.data, spec)} before={version.data} after={spec} />
}

function Between({ id, older, newer }: Readonly<{ id: string; older: number; newer: number }>) {
  const before = useQuery(versionQuery(id, older))
  const after = useQuery(versionQuery(id, newer))
  const failed = [before, after].find(({ isError }) => isError)
  if (failed)
    return <ErrorPanel problem={toApiError(failed.error)} onRetry={() => void failed.refetch()} />
  if (!before.data || !after.data) return <WorkingBlock />
  return (
    <div className="flex flex-col gap-1">
      <p className="text-xs text-ink-3">{words.fromTo(older, newer)}</p>
      <DiffView diff={diffOf(before.data, after.data)} before={before.data} after={after.data} />
    </div>
  )
}
