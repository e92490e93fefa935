import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Ago } from '@/components/ago'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { QueryError, Refusal } from '@/components/query-state'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { WorkingBlock } from '@/components/working'
import { notify } from '@/lib/toasts'
import { text } from '@/strings/designs'

import { diffOf } from './design-diff'
import { useSpec } from './design-store'
import { DiffView } from './diff-view'
import { useSaver, useSaverStore } from './saver-context'
import {
  nameVersion,
  readDesign,
  restoreVersion,
  versionQuery,
  type DesignVersionRow,
} from './use-designs'

const words = text.versions

interface Props {
  id: string
  readOnly: boolean
  /** The number of the version that is compared with the draft; any other number: none is. */
  compared: number
  onCompare: (number: number | null) => void
  onClose: () => void
}

/** The versions of a design: name one, see what has changed since, go back to one. */
export function VersionsDialog(props: Readonly<Props>) {
  const { id, readOnly, compared, onCompare, onClose } = props
  const versions = useSaver((state) => state.server.versions)
  return (
    <Dialog isOpen wide title={words.title} onClose={onClose}>
      <div className="flex flex-col gap-4">
        {readOnly ? null : <NameVersion id={id} />}
        {versions.length === 0 ? <p className="text-ink-2">{words.empty}</p> : null}
        <ul className="flex flex-col divide-y divide-line">
          {versions.map((version) => (
            <li key={version.number} className="flex flex-col gap-2 py-2">
              <VersionRow
                id={id}
                version={version}
                readOnly={readOnly}
                isOpen={compared === version.number}
                onCompare={() => onCompare(compared === version.number ? null : version.number)}
                onRestored={onClose}
              />
              {compared === version.number ? (
                <VersionDiff id={id} number={version.number} versions={versions} />
              ) : null}
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

function NameVersion({ id }: Readonly<{ id: string }>) {
  const saver = useSaverStore()
  // The button is never disabled: it would lose the focus, and Escape would close nothing any more.
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: async () => {
      const revision = await saver.flush()
      const version = await nameVersion(id, { revision, name: name.trim() })
      const { versions, version_count } = await readDesign(id)
      // No more of it: what somebody else has saved meanwhile is theirs, under a later revision.
      saver.setState(({ server }) => ({ server: { ...server, versions, version_count } }))
      return version
    },
    onSuccess: ({ number }) => {
      setName('')
      notify(words.created(number))
    },
  })
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim()) create.mutate()
      }}
    >
      <div className="flex items-end gap-2">
        <TextField
          label={words.name}
          placeholder={words.placeholder}
          maxLength={120}
          value={name}
          onChange={setName}
          className="flex-1"
        />
        <Button type="submit" variant="primary" isPending={create.isPending}>
          {words.create}
        </Button>
      </div>
      <Refusal of={create} />
    </form>
  )
}

interface RowProps {
  id: string
  version: DesignVersionRow
  readOnly: boolean
  isOpen: boolean
  onCompare: () => void
  onRestored: () => void
}

function VersionRow(props: Readonly<RowProps>) {
  const { id, version, readOnly, isOpen, onCompare, onRestored } = props
  const saver = useSaverStore()
  const restore = useMutation({
    mutationFn: async () => restoreVersion(id, version.number, await saver.flush()),
    onSuccess: (design) => {
      saver.adopt(design)
      notify(words.restored(version.number))
      onRestored()
    },
  })
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium tabular-nums">{words.number(version.number)}</span>
        <span className="min-w-0 flex-1 basis-40">{version.name}</span>
        {version.kept ? <Badge>{words.kept}</Badge> : null}
        <span className="text-xs text-ink-3">
          {version.created_by ? `${version.created_by}, ` : ''}
          <Ago at={version.created_at} />
        </span>
        <span className="flex gap-1.5">
          <Button size="sm" aria-expanded={isOpen} onPress={onCompare}>
            {words.compare}
          </Button>
          {readOnly ? null : (
            <Button size="sm" isPending={restore.isPending} onPress={() => restore.mutate()}>
              {words.restore}
            </Button>
          )}
        </span>
      </div>
      <Refusal of={restore} />
    </>
  )
}

const DRAWN = 'drawn'

interface VersionDiffProps {
  id: string
  number: number
  versions: readonly DesignVersionRow[]
}

/** What has changed from a version to what is drawn now, or to another version; the older one first. */
function VersionDiff({ id, number, versions }: Readonly<VersionDiffProps>) {
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
  if (version.isError) return <QueryError of={version} />
  return <DiffView diff={diffOf(version.data, spec)} before={version.data} after={spec} />
}

function Between({ id, older, newer }: Readonly<{ id: string; older: number; newer: number }>) {
  const before = useQuery(versionQuery(id, older))
  const after = useQuery(versionQuery(id, newer))
  const failed = [before, after].find(({ isError }) => isError)
  if (failed) return <QueryError of={failed} />
  if (!before.data || !after.data) return <WorkingBlock />
  return (
    <div className="flex flex-col gap-1">
      <p className="text-xs text-ink-3">{words.fromTo(older, newer)}</p>
      <DiffView diff={diffOf(before.data, after.data)} before={before.data} after={after.data} />
    </div>
  )
}
