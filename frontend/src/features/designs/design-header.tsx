import { useMutation } from '@tanstack/react-query'
import {
  CircleAlert,
  CloudCheck,
  CloudUpload,
  Copy,
  Download,
  History,
  Keyboard,
} from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { Input, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { TipButton } from '@/components/tooltip'
import { toApiError } from '@/lib/api/errors'
import { useCommands, type Command } from '@/lib/commands'
import { notifyProblem } from '@/lib/toasts'
import { useParam } from '@/lib/use-param'

import { FIELDS } from './canvas-focus'
import { useDesign, useDesignStore, useIsScript } from './design-store'
import { text } from '@/strings/designs'

import { isNameable } from './clean-text'
import { DownloadOutcome, formatsOf, useDownload, type Format } from './download-outcome'
import type { SaveState } from './save-state'
import { useSaver, useSaverStore } from './saver-context'
import { useCopyDesign } from './use-copy-design'
import { VersionsDialog } from './versions-dialog'

/** In the address: the versions without a comparison. */
const ALL = 'all'

interface Props {
  id: string
  readOnly: boolean
  onKeys: () => void
}

/** The design's name, whether it is saved, its versions and its files. */
export function DesignHeader({ id, readOnly, onKeys }: Readonly<Props>) {
  const [versions, setVersions] = useParam('versions')
  const name = useDesign((state) => state.history.present.name)
  const { rename } = useDesignStore().getState()
  const duplicate = useDuplicate()
  const { download, outcome, close } = useDownload(id)
  useHeaderCommands(readOnly, download, {
    versions: () => setVersions(ALL),
    duplicate: duplicate.mutate,
    keys: onKeys,
  })
  return (
    <header
      {...FIELDS}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-surface-1 px-4 py-2.5 sm:px-6"
    >
      <h1 className="min-w-0 flex-1 basis-48">
        <Input
          aria-label={text.name}
          value={name}
          readOnly={readOnly}
          maxLength={120}
          onChange={(event) => rename(event.target.value)}
          className="w-full rounded-md border border-transparent bg-transparent px-2 py-1 text-lg font-semibold tracking-tight outline-none hover:border-line data-[focused]:border-accent"
        />
      </h1>
      {readOnly ? null : <Saved />}
      <div className="flex flex-wrap gap-1.5">
        <Button size="sm" icon={History} onPress={() => setVersions(ALL)}>
          {text.tools.versions}
        </Button>
        <ExportMenu download={download} />
        {readOnly ? null : (
          <Button
            size="sm"
            isPending={duplicate.isPending}
            icon={Copy}
            onPress={() => duplicate.mutate()}
          >
            {text.duplicate}
          </Button>
        )}
        <TipButton
          label={text.keys.title}
          tip={`${text.keys.title} (?)`}
          placement="bottom"
          icon={Keyboard}
          onPress={onKeys}
        />
      </div>
      {outcome ? <DownloadOutcome outcome={outcome} onClose={close} /> : null}
      {versions === null ? null : (
        <VersionsDialog
          id={id}
          readOnly={readOnly}
          compared={Number(versions)}
          onCompare={(number) => setVersions(number === null ? ALL : String(number))}
          onClose={() => setVersions(null)}
        />
      )}
    </header>
  )
}

function useDuplicate() {
  const copy = useCopyDesign(text.copyName)
  const saver = useSaverStore()
  return useMutation({
    // The one that is open keeps what it has, too: nothing of it may be lost by this.
    mutationFn: async () => {
      await saver.flush()
      await copy.mutateAsync()
    },
    onError: (thrown) => notifyProblem(toApiError(thrown)),
  })
}

interface HeaderActions {
  readonly versions: () => void
  readonly duplicate: () => void
  readonly keys: () => void
}

/** What the header's buttons do, for the palette. */
function useHeaderCommands(
  readOnly: boolean,
  download: (format: Format) => void,
  actions: HeaderActions,
): void {
  const latest = useRef(actions)
  const isScript = useIsScript()
  useEffect(() => {
    latest.current = actions
  })
  const commands = useMemo<Command[]>(
    () => [
      { id: 'design.versions', label: text.tools.versions, run: () => latest.current.versions() },
      { id: 'design.keys', label: text.keys.title, run: () => latest.current.keys(), keys: '?' },
      ...(readOnly
        ? []
        : [
            {
              id: 'design.duplicateDesign',
              label: text.commands.duplicateDesign,
              run: () => latest.current.duplicate(),
            },
          ]),
      ...formatsOf(isScript).map((format) => ({
        id: `design.export ${format}`,
        label: text.commands.export(text.tools.formats[format]),
        run: () => download(format),
        searched: true,
      })),
    ],
    [download, isScript, readOnly],
  )
  useCommands(commands)
}

const TONES: Readonly<Record<SaveState, string>> = {
  saved: 'text-ink-3',
  waiting: 'text-ink-3',
  saving: 'text-ink-3',
  failed: 'text-warn',
  loggedOut: 'text-warn',
  refused: 'text-bad',
  conflict: 'text-bad',
  gone: 'text-bad',
}

function Saved() {
  const { state, error } = useSaver((saver) => saver)
  const hasName = useDesign(({ history }) => isNameable(history.present.name))
  const isUnnamed = state === 'saved' && !hasName
  const Icon = state === 'saved' ? CloudCheck : error ? CircleAlert : CloudUpload
  return (
    <span
      role="status"
      title={error?.message}
      className={cx('flex items-center gap-1.5 text-xs', isUnnamed ? 'text-warn' : TONES[state])}
    >
      <Icon size={14} aria-hidden />
      {isUnnamed ? text.save.unnamed : text.save[state]}
      {state === 'refused' && error ? `: ${error.message}` : ''}
    </span>
  )
}

function ExportMenu({ download }: Readonly<{ download: (format: Format) => void }>) {
  const formats = formatsOf(useIsScript())
  return (
    <MenuTrigger>
      <Button size="sm" icon={Download}>
        {text.tools.export}
      </Button>
      <Popover className="w-60 rounded-lg border border-line bg-surface-1 p-1 shadow-float">
        <Menu className="outline-none" onAction={(key) => download(key as Format)}>
          {formats.map((format) => (
            <MenuItem
              key={format}
              id={format}
              className="flex h-8 cursor-default items-center rounded-md px-2 text-sm outline-none data-[focused]:bg-surface-2"
            >
              {text.tools.formats[format]}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
