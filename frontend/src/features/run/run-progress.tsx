import { ProgressBar } from '@/components/progress-bar'
import { useRun } from '@/components/run/run-context'
import { formatLeft } from '@/lib/format'
import { useTimeLeft } from '@/lib/use-time-left'
import { text } from '@/strings/run'
import { text as subtaskText } from '@/strings/subtasks'

import { answeredSubtasks, plannedAgents, plannedSubtasks, spokenAgents } from './progress'

/** How many of a planned team have spoken, or of its subtasks are answered, and about how long the
 * others take. A team that is built while it runs has no end that anybody knows: the tab tells of
 * those so far. */
export function RunProgress() {
  const agents = useRun(({ view }) => plannedAgents(view))
  const subtasks = useRun(({ view }) => plannedSubtasks(view))
  const spoken = useRun(({ view }) => spokenAgents(view))
  const answered = useRun(({ view }) => answeredSubtasks(view))
  if (agents !== null) return <Bar done={spoken} total={agents} words={text} />
  if (subtasks !== null) return <Bar done={answered} total={subtasks} words={subtaskText} />
  return null
}

interface BarProps {
  done: number
  total: number
  words: Pick<typeof text | typeof subtaskText, 'progress' | 'spokenOf'>
}

function Bar({ done, total, words }: Readonly<BarProps>) {
  const left = useTimeLeft(done, total)
  return (
    <ProgressBar
      label={words.progress}
      value={done}
      total={total}
      text={words.spokenOf(done, total, left === null ? null : formatLeft(left))}
      className="max-w-xl"
    />
  )
}
