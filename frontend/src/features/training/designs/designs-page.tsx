import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'

import { Button } from '@/components/button'
import { QueryState } from '@/components/query-state'
import { formatCount } from '@/lib/format'
import { useParam } from '@/lib/use-param'
import { text } from '@/strings/sampled-designs'

import { DesignFrame } from './design-frame'
import { QuestionMatrix } from './question-matrix'
import { RewardLegend } from './reward-cell'
import { ShapeList } from './shape-list'
import { designList } from './use-designs'

/** All designs of a training's step: a matrix for each question. */
export function DesignsPage() {
  const { id = '', step: stepText = '' } = useParams()
  const step = Number(stepText)
  return (
    <DesignFrame job={id} step={step} title={text.title(formatCount(step))} lead={text.lead}>
      <Matrices key={step} job={id} step={step} />
    </DesignFrame>
  )
}

function Matrices({ job, step }: Readonly<{ job: string; step: number }>) {
  const list = useInfiniteQuery(designList(job, step))
  const [shape, setShape] = useParam('shape')
  const first = list.data?.pages[0]
  if (!first) return <QueryState of={list} />
  const loaded = list.data?.pages.flatMap(({ results }) => results) ?? []
  const shapes = first.shapes
  const wanted = shapes.find(({ shape: each }) => keyOf(each) === shape)?.shape ?? null
  const shown =
    wanted === null
      ? loaded
      : loaded.filter(({ designs }) => designs.some((design) => design.shape === wanted))
  const left = first.count - loaded.length
  return (
    <div className="flex flex-col gap-4">
      <ShapeList
        shapes={shapes}
        chosen={wanted}
        onChoose={(chosen) => setShape(chosen === null ? null : keyOf(chosen))}
      />
      {loaded.length > 0 ? <RewardLegend /> : null}
      {loaded.length === 0 ? <p className="text-ink-2">{text.none}</p> : null}
      {loaded.length > 0 && shown.length === 0 ? (
        <p className="text-ink-2">{text.noneOfShape}</p>
      ) : null}
      {shown.map((question) => (
        <QuestionMatrix
          key={question.question}
          {...{ job, step, question, shapes }}
          wanted={wanted}
        />
      ))}
      {left > 0 ? (
        <Button
          className="self-center"
          isPending={list.isFetchingNextPage}
          onPress={() => void list.fetchNextPage()}
        >
          {text.more(Math.min(left, 10))}
        </Button>
      ) : null}
    </div>
  )
}

/** In the address an empty part is none. */
const keyOf = (shape: string): string => (shape === '' ? 'unusable' : shape)
