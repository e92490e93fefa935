import { Ban, Columns2, Download, RotateCw, Tag, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { isEnded } from '@/graph/run-view'
import { useMe } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

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
  const underWay = chosen.filter(({ status }) => !isEnded(status)).length
  const act = (deed: Deed): void =>
    bulk.mutate(
      { ids, deed },
      {
        onSuccess: () => {
          setAsks(null)
          if (deed.action !== 'label') toggleAll(false)
        },
      },
    )
  const common = { size: 'sm', isDisabled: tooMany || bulk.isPending } as const
  return (
    <section
      aria-label={words.label}
      className="sticky bottom-16 z-20 mx-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg border border-line bg-surface-1 px-3 py-2 shadow-float sm:bottom-4"
    >
      <p role="status" className="text-sm">
        {tooMany ? words.tooMany(chosen.length, MOST) : words.chosen(chosen.length)}
      </p>
      {me?.permissions.run ? (
        <>
          {underWay > 0 ? (
            <Button
              {...common}
              onPress={() => act({ action: 'cancel' })}
              icon={<Ban size={14} aria-hidden />}
            >
              {words.cancel}
            </Button>
          ) : null}
          {underWay === 0 ? (
            <Button
              {...common}
              onPress={() => act({ action: 'retry' })}
              icon={<RotateCw size={14} aria-hidden />}
            >
              {words.retry}
            </Button>
          ) : null}
          <Button {...common} onPress={() => setAsks('label')} icon={<Tag size={14} aria-hidden />}>
            {words.setLabel}
          </Button>
        </>
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
      {me?.permissions.run && underWay === 0 ? (
        <Button
          {...common}
          variant="danger"
          onPress={() => setAsks('delete')}
          icon={<Trash2 size={14} aria-hidden />}
        >
          {words.remove}
        </Button>
      ) : null}
      <Button
        variant="quiet"
        size="sm"
        aria-label={words.none}
        onPress={() => toggleAll(false)}
        icon={<X size={14} aria-hidden />}
      />
      {asks === 'delete' ? (
        <ConfirmDialog
          title={words.removeTitle(ids.length)}
          body={words.removeBody}
          action={words.remove}
          isPending={bulk.isPending}
          problem={null}
          onConfirm={() => act({ action: 'delete' })}
          onClose={() => setAsks(null)}
        />
      ) : null}
      {asks === 'label' ? (
        <LabelDialog
          count={ids.length}
          isPending={bulk.isPending}
          onSave={(label) => act({ action: 'label', label })}
          onClose={() => setAsks(null)}
        />
      ) : null}
    </section>
  )
}
