import { MessageCircleQuestion } from 'lucide-react'
import { Link } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { Dialog } from '@/components/dialog'
import { Disclosure } from '@/components/disclosure'
import { Fact } from '@/components/fact'
import { ScrollRegion } from '@/components/scroll-region'
import { textOr, UNKNOWN } from '@/lib/format'

import { text } from '@/strings/datasets'
import { SubtaskList } from './subtask-list'
import { taskGraphOf, withoutTaskGraph } from './task-graph'
import type { Task } from './use-datasets'

const { tasks: words } = text

/** A task in full. */
export function TaskDialog({ task, onClose }: Readonly<{ task: Task; onClose: () => void }>) {
  const graph = taskGraphOf(task.metadata)
  const metadata = graph ? withoutTaskGraph(task.metadata) : task.metadata
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={words.title(text.splits[task.split], task.index)}
      footer={
        <Link
          to={`/?q=${encodeURIComponent(task.query)}&task=${task.id}`}
          className={buttonClass()}
        >
          <MessageCircleQuestion size={14} aria-hidden />
          {words.ask}
        </Link>
      }
    >
      <div className="flex flex-col gap-4">
        {graph ? (
          <>
            <SubtaskList graph={graph} />
            <Disclosure title={words.whole}>
              <p className="whitespace-pre-wrap">{task.query}</p>
            </Disclosure>
          </>
        ) : (
          <p className="whitespace-pre-wrap">{task.query}</p>
        )}
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          <div className="col-span-2 flex min-w-0 flex-col sm:col-span-3">
            <dt className="text-xs text-ink-3">{words.columns.reference}</dt>
            <dd className="max-h-60 overflow-auto font-medium whitespace-pre-wrap">
              {task.reference ?? UNKNOWN}
            </dd>
          </div>
          <Fact name={words.columns.verifier}>{textOr(task.verifier, words.none)}</Fact>
          <Fact name={words.columns.domain}>{textOr(task.domain)}</Fact>
        </dl>
        {Object.keys(metadata).length > 0 ? (
          <div className="flex flex-col gap-1">
            <h3 className="text-xs font-semibold text-ink-2">{words.metadata}</h3>
            <ScrollRegion
              label={words.metadata}
              className="max-h-72 overflow-auto rounded-md bg-surface-2 p-2.5"
            >
              <pre className="font-mono text-xs whitespace-pre-wrap">
                {JSON.stringify(metadata, null, 2)}
              </pre>
            </ScrollRegion>
          </div>
        ) : null}
      </div>
    </Dialog>
  )
}
