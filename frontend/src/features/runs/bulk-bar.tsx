import { Columns2, Download, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { useMe } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { DeedButtons } from './deed-buttons'
import { doableWith, type Doable } from './doable'
import { LabelDialog } from './label-dialog'
import type { Selection } from './selection'
import { useBulk, type Deed } from './use-bulk'

const words = strings.runs.bulk
/** What the API takes at once. */
const MOST = 100

/** What can be done with the chosen runs; not there while none is. */
export function BulkBar({ selection }: Readonly<{ selection: Selection }>) {
  const me = useMe()
  const bulk = useBulk()
  const [asks, setAsks] = useState<'delete' | 'label' | null>(null)
  const { chosen, toggleAll } = selection
  if (chosen.length === 0) return null
  const ids = chosen.map(({ id }) => id)
  const tooMany = chosen.length > MOST
  const doable = me?.permissions.run ? doableWith(chosen, me) : null
  const act = (deed: Deed, onto: readonly string[]): void =>
    bulk.mutate(
      { ids: onto, deed },
      {
        onSuccess: () => {
          setAsks(null)
          if (deed.action !== 'label') toggleAll(false)
        },
      },
    )
  return (
    <section
      aria-label={words.label}
      className="sticky bottom-16 z-20 mx-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-surface-1 px-3 py-2 shadow-float sm:bottom-4"
    >
      <p role="status" className="text-sm">
        {tooMany ? words.tooMany(chosen.length, MOST) : words.chosen(chosen.length)}
        {doable ? <WhyNotAll doable={doable} /> : null}
      </p>
      {doable ? (
        <DeedButtons
          doable={doable}
          all={ids.length}
          isDisabled={tooMany || bulk.isPending}
          onCancel={() => act({ action: 'cancel' }, doable.cancel)}
          onRetry={() => act({ action: 'retry' }, doable.retry)}
          onLabel={() => setAsks('label')}
          onDelete={() => setAsks('delete')}
        />
      ) : null}
      {ids.length === 2 ? (
        <Link
          to={`/runs/compare?left=${ids[0]}&right=${ids[1]}`}
          className={buttonClass({ size: 'sm' })}
        >
          <Columns2 size={14} aria-hidden />
          {words.compare}
        </Link>
      ) : null}
      {tooMany ? null : (
        <a
          href={`/api/runs/export?runs=${ids.join(',')}`}
          download
          className={buttonClass({ size: 'sm' })}
        >
          <Download size={14} aria-hidden />
          {words.download}
        </a>
      )}
      <Button
        variant="quiet"
        size="sm"
        aria-label={words.none}
        onPress={() => toggleAll(false)}
        icon={<X size={14} aria-hidden />}
      />
      {asks === 'delete' && doable ? (
        <ConfirmDialog
          title={words.removeTitle(doable.delete.length)}
          body={words.removeBody}
          action={words.remove}
          isPending={bulk.isPending}
          problem={null}
          onConfirm={() => act({ action: 'delete' }, doable.delete)}
          onClose={() => setAsks(null)}
        />
      ) : null}
      {asks === 'label' ? (
        <LabelDialog
          count={ids.length}
          isPending={bulk.isPending}
          onSave={(label) => act({ action: 'label', label }, ids)}
          onClose={() => setAsks(null)}
        />
      ) : null}
    </section>
  )
}

/** Why an action takes fewer than are chosen. */
function WhyNotAll({ doable }: Readonly<{ doable: Doable }>) {
  const { underWay, ofOthers, ofEvaluations } = words.why
  const told = [
    doable.underWay > 0 ? underWay(doable.underWay) : null,
    doable.ofOthers > 0 ? ofOthers(doable.ofOthers) : null,
    doable.ofEvaluations > 0 ? ofEvaluations(doable.ofEvaluations) : null,
  ].filter((part) => part !== null)
  return told.length > 0 ? <span className="text-ink-3">{`: ${told.join(', ')}`}</span> : null
}
