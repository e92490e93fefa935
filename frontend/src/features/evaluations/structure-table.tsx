import { DataTable, type Column } from '@/components/data-table'
import type { components } from '@/generated/api'
import { formatCount, formatP, formatPoints, formatShare } from '@/lib/format'

import { rangeText } from './range-text'
import { StackedNumber } from './stacked-number'
import { text } from '@/strings/evaluations'

type Structure = components['schemas']['Structure']
type ArmStructure = components['schemas']['ArmStructure']

const { why: words } = text

interface Row {
  readonly key: string
  readonly arm: string
  readonly variant: ArmStructure['variants'][number]
  readonly pair: ArmStructure['pairs'][number] | null
}

interface Props {
  structure: Structure
  nameOf: (label: string) => string
}

/** M against itself with one agent less and one more, for every arm that builds graphs. */
export function StructureTable({ structure, nameOf }: Readonly<Props>) {
  const rows = structure.arms.flatMap((arm): Row[] =>
    arm.variants.map((variant) => ({
      key: `${arm.label}/${variant.kind}`,
      arm: nameOf(arm.label),
      variant,
      pair: arm.pairs.find(({ right }) => right === variant.kind) ?? null,
    })),
  )
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{words.structure}</h3>
      <p className="max-w-3xl text-xs text-ink-2">
        {words.structureHelp(structure.tasks, structure.seed)}
      </p>
      <div className="overflow-hidden rounded-md border border-line">
        <DataTable
          label={words.structureLabel}
          rows={rows}
          keyOf={({ key }) => key}
          columns={columns}
        />
      </div>
    </section>
  )
}

const columns: Column<Row>[] = [
  {
    key: 'variant',
    head: words.variant,
    isRowHead: true,
    render: ({ arm, variant }) => (
      <>
        {words.variants[variant.kind]}
        <span className="block text-xs font-normal text-ink-3">{arm}</span>
      </>
    ),
  },
  {
    key: 'accuracy',
    head: text.armTable.accuracy,
    numeric: true,
    render: ({ variant }) => (
      <StackedNumber
        main={formatShare(variant.accuracy)}
        below={rangeText(variant.interval, formatShare)}
      />
    ),
  },
  {
    key: 'difference',
    head: text.pairs.difference,
    numeric: true,
    render: ({ pair }) =>
      pair === null ? null : (
        <StackedNumber
          main={formatPoints(pair.difference)}
          below={rangeText(pair.interval, formatPoints)}
        />
      ),
  },
  {
    key: 'p',
    head: text.pairs.corrected,
    numeric: true,
    render: ({ pair }) =>
      pair === null ? null : (
        <StackedNumber main={formatP(pair.holm_p)} below={words.onTasks(pair.n)} />
      ),
  },
  {
    key: 'tokens',
    head: text.armTable.tokens,
    numeric: true,
    render: ({ variant }) => formatCount(variant.tokens_mean),
  },
]
