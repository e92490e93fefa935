import { useParams } from 'react-router'

import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { PageProblem } from '@/components/page-problem'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { formatPercentDone, useProgressTitle } from '@/lib/use-progress-title'
import { useChoiceParam } from '@/lib/use-param'

import { AnswersView } from './answers-view'
import { ArmsView } from './arms-view'
import { CompareView } from './compare-view'
import { EvaluationHeader } from './evaluation-header'
import { text } from '@/strings/evaluations'

import { isActive, useEvaluation, type Evaluation } from './use-evaluations'

const TABS = ['arms', 'answers', 'compare'] as const

/** One evaluation: how its arms compare, every answer, and two arms task by task. */
export function EvaluationPage() {
  const { id = '' } = useParams()
  const evaluation = useEvaluation(id)
  const known = evaluation.data
  const share = known && isActive(known) ? formatPercentDone(known.done, known.total) : null
  useProgressTitle(known?.name ?? text.title, share)
  if (evaluation.isPending) return <WorkingBlock />
  if (!known)
    return (
      <PageProblem title={text.missing} of={evaluation} to="/evaluations" toLabel={text.others} />
    )
  return (
    <div className="flex flex-1 flex-col">
      <EvaluationHeader evaluation={known} />
      <div className="mx-auto flex w-full max-w-[1600px] flex-col gap-4 px-4 py-4 sm:px-6">
        {known.failure ? <ErrorPanel title={text.failed} problem={known.failure} /> : null}
        {known.warnings.filter(isShownHere).map((warning) => (
          <Notice
            key={`${warning.code}/${warning.arm ?? ''}`}
            tone="warn"
            title={warning.arm ?? text.form.arms}
          >
            {warning.message}
          </Notice>
        ))}
        <Views evaluation={known} />
      </div>
    </div>
  )
}

/** Cut answers are told beside the table of arms, with the way out. */
const isShownHere = ({ code }: Evaluation['warnings'][number]): boolean => code !== 'cut_answers'

function Views({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const [tab, setTab] = useChoiceParam('tab', TABS)
  return (
    <Tabs
      label={text.tabs.label}
      selected={tab}
      onSelect={setTab}
      panelClassName="pt-4"
      items={[
        { key: 'arms', label: text.tabs.arms, content: <ArmsView evaluation={evaluation} /> },
        {
          key: 'answers',
          label: text.tabs.tasks,
          content: <AnswersView evaluation={evaluation} />,
        },
        {
          key: 'compare',
          label: text.tabs.compare,
          content: <CompareView evaluation={evaluation} />,
        },
      ]}
    />
  )
}
