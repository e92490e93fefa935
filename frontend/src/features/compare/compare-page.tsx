import { useQuery } from '@tanstack/react-query'
import { ArrowLeftRight } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useStore } from 'zustand'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { EmptyState } from '@/components/empty-state'
import { Notice } from '@/components/notice'
import { Page } from '@/components/page'
import { PageProblem } from '@/components/page-problem'
import { useRunStream } from '@/components/run/use-run-stream'
import { WorkingBlock } from '@/components/working'
import { FAMILIES } from '@/families/registry'
import { overlayOf, swappedId, type Overlay } from '@/graph/overlay'
import { currentAttempt, type AttemptView, type RunView } from '@/graph/run-view'
import { totalsOf } from '@/graph/totals'
import { queries } from '@/lib/api/queries'
import { formatCount, shorten } from '@/lib/format'
import { useParam, useSetParams } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'
import { text } from '@/strings/compare'
import { strings } from '@/strings/studio'

import { askedRows } from './asked-rows'
import { ComparedGraphs } from './compared-graphs'
import { both, numberRow, spentRows, textRow, type Pair, type Row } from './rows'
import { SidesTable } from './sides-table'
import { TextTabs } from './text-tabs'

const TITLE_CHARS = 120

/** `?left=&right=`: two runs, their graphs laid over each other, what each agent said, what each took. */
export function ComparePage() {
  useTitle(text.title)
  const [left] = useParam('left')
  const [right] = useParam('right')
  if (left === null || right === null)
    return (
      <Page title={text.title}>
        <EmptyState icon={ArrowLeftRight} title={text.missing}>
          {text.missingHelp}
        </EmptyState>
      </Page>
    )
  return <Both key={`${left} ${right}`} left={left} right={right} />
}

function Both({ left, right }: Readonly<{ left: string; right: string }>) {
  const ours = useRunStream(left, FAMILIES)
  const theirs = useRunStream(right, FAMILIES)
  const leftView = useStore(ours.store, ({ view }) => view)
  const rightView = useStore(theirs.store, ({ view }) => view)
  const problem = [
    leftView.detail ? null : ours.problem,
    rightView.detail ? null : theirs.problem,
  ].find((each) => each !== null)
  if (problem)
    return (
      <PageProblem
        title={text.title}
        of={{ error: problem, refetch: () => globalThis.location.reload() }}
        to="/runs"
        toLabel={strings.nav.runs}
      />
    )
  if (!leftView.detail || !rightView.detail) return <WorkingBlock />
  return <Compared left={leftView} right={rightView} />
}

function Compared({ left, right }: Readonly<{ left: RunView; right: RunView }>) {
  const setParams = useSetParams()
  const [agent, setAgent] = useParam('agent')
  const overlay = useOverlay(currentAttempt(left), currentAttempt(right))
  const chosen = overlay.nodes.find(({ id }) => id === agent)
  const query = left.detail?.query ?? ''
  return (
    <Page
      title={text.title}
      lead={shorten(query, TITLE_CHARS)}
      actions={
        <Button
          size="sm"
          icon={ArrowLeftRight}
          onPress={() =>
            setParams({
              left: right.runId,
              right: left.runId,
              agent: chosen ? swappedId(chosen) : null,
            })
          }
        >
          {text.swap}
        </Button>
      }
    >
      {right.detail?.query === query ? null : (
        <Notice tone="warn" title={text.otherQuestion}>
          {shorten(right.detail?.query ?? '', TITLE_CHARS)}
        </Notice>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <FactsTable left={left} right={right} />
        <FinalMessage views={[left, right]} />
      </div>
      <ComparedGraphs overlay={overlay} agent={agent} onChoose={setAgent} />
    </Page>
  )
}

const NOBODY: AttemptView['agents'] = new Map()
const UNREAD: AttemptView['edges'] = []

/** Made anew only when an agent or an edge of either is another, not with every word that streams in. */
function useOverlay(left: AttemptView | null, right: AttemptView | null): Overlay {
  const { agents: ours = NOBODY, edges: ourEdges = UNREAD } = left ?? {}
  const { agents: theirs = NOBODY, edges: theirEdges = UNREAD } = right ?? {}
  return useMemo(
    () => overlayOf({ agents: ours, edges: ourEdges }, { agents: theirs, edges: theirEdges }),
    [ours, ourEdges, theirs, theirEdges],
  )
}

/** With what both runs ended, whoever took part in them. */
function FinalMessage({ views }: Readonly<{ views: Pair<RunView> }>) {
  return (
    <Card flush title={text.message}>
      <TextTabs label={text.message} texts={both(views, messageOf)} none={text.noMessage} />
    </Card>
  )
}

const messageOf = (view: RunView): string =>
  currentAttempt(view)?.outcome?.message ?? view.detail?.message ?? ''

const words = text.facts

/** What was run and what it took, side by side. */
function FactsTable({ left, right }: Readonly<{ left: RunView; right: RunView }>) {
  const methods = useQuery(queries.methods).data
  const sides = [left, right] as const
  const totals = both(sides, totalsOf)
  const rows: Row[] = [
    ...askedRows(sides, methods),
    textRow(
      words.status,
      both(sides, ({ status }) => strings.status[status]),
    ),
    textRow(words.answer, both(sides, answerOf)),
    ...(sides.some(({ detail }) => detail?.correct != null)
      ? [textRow(words.verdict, both(sides, verdictOf))]
      : []),
    numberRow(
      words.agents,
      both(totals, ({ agents }) => agents),
      formatCount,
    ),
    ...spentRows(totals),
  ]
  return (
    <Card flush>
      <SidesTable
        label={words.label}
        rows={rows}
        heads={[
          <RunLink key="left" id={left.runId} name={text.left} />,
          <RunLink key="right" id={right.runId} name={text.right} />,
        ]}
      />
    </Card>
  )
}

function RunLink({ id, name }: Readonly<{ id: string; name: string }>) {
  return (
    <Link to={`/runs/${id}`} className="text-accent underline">
      {name}
    </Link>
  )
}

const answerOf = (view: RunView): string | null =>
  currentAttempt(view)?.outcome?.answer ?? view.detail?.answer ?? null

function verdictOf({ detail }: RunView): string | null {
  if (detail?.correct == null) return null
  return detail.correct ? words.right : words.wrong
}
