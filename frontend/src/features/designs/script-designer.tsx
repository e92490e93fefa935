import { FileCode, Network } from 'lucide-react'
import { useState, type ReactNode } from 'react'

import { CodeView } from '@/families/scripts/code-view'
import { DrawingView } from '@/families/scripts/drawing-view'
import { text } from '@/strings/designs'

import { useChecker } from './checker-context'
import { ScriptEditor } from './script-editor'

const { script: words } = text

interface Props {
  script: string
  readOnly: boolean
  wide: boolean
  /** The properties. */
  children: ReactNode
}

/** A design that is a script: its text, what it means, and the way to run it. */
export function ScriptDesigner({ script, readOnly, wide, children }: Readonly<Props>) {
  const code = readOnly ? (
    <CodeView label={words.label} script={script} className="min-h-0 flex-1 bg-surface-1" />
  ) : (
    <ScriptEditor script={script} />
  )
  if (wide)
    return (
      <div className="flex min-h-0 flex-1">
        <section className="flex min-w-0 flex-1 basis-0 flex-col border-r border-line">
          <Head icon={<FileCode size={14} aria-hidden />}>{words.label}</Head>
          {code}
        </section>
        <section className="flex min-w-0 flex-1 basis-0 flex-col">
          <Head icon={<Network size={14} aria-hidden />}>{words.means}</Head>
          <Meaning />
        </section>
        <aside
          aria-label={text.panel.label}
          className="w-72 shrink-0 overflow-auto border-l border-line bg-surface-1 xl:w-80"
        >
          {children}
        </aside>
      </div>
    )
  return (
    <div className="flex flex-1 flex-col gap-3 px-4 py-3">
      <section className="flex h-[52dvh] min-h-72 flex-col overflow-hidden rounded-lg border border-line">
        <Head icon={<FileCode size={14} aria-hidden />}>{words.label}</Head>
        {code}
      </section>
      <section className="flex h-[52dvh] min-h-72 flex-col overflow-hidden rounded-lg border border-line">
        <Head icon={<Network size={14} aria-hidden />}>{words.means}</Head>
        <Meaning />
      </section>
      <div className="overflow-hidden rounded-lg border border-line bg-surface-1">{children}</div>
    </div>
  )
}

function Head({ icon, children }: Readonly<{ icon: ReactNode; children: ReactNode }>) {
  return (
    <h2 className="flex h-8 shrink-0 items-center gap-1.5 border-b border-line bg-surface-1 px-3 text-xs font-medium text-ink-2">
      {icon}
      {children}
    </h2>
  )
}

/** The last drawing that the script had stays while a mistake is corrected. */
function Meaning() {
  const meaning = useChecker((state) => state.meaning)
  const [last, setLast] = useState(meaning)
  if (meaning !== null && meaning !== last) setLast(meaning)
  const shown = meaning ?? last
  if (shown === null || shown.blocks.length === 0)
    return <p className="m-auto max-w-64 p-4 text-center text-ink-3">{words.nothing}</p>
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {meaning === null ? (
        <p role="status" className="border-b border-line bg-warn-soft px-3 py-1.5 text-xs">
          {words.old}
        </p>
      ) : null}
      <DrawingView drawing={shown} className="min-w-0 flex-1" />
    </div>
  )
}
