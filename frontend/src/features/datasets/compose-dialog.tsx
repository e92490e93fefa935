import { Checkbox } from '@/components/checkbox'
import { api, unwrap } from '@/lib/api/client'
import type { ApiError } from '@/lib/api/errors'
import type { Dataset } from '@/lib/api/queries'
import { text } from '@/strings/datasets'

import {
  LEVELS,
  NODES,
  compositionBody,
  explanation,
  filledSplits,
  newComposition,
  totalOf,
  totalText,
  withLevel,
  type CompositionDraft,
} from './composition'
import { MakingDialog, type Change } from './making-dialog'
import { FieldProblem, SplitCounts } from './split-counts'

const { composing } = text

interface Props {
  source: Dataset
  onProgress: (progress: string | null) => void
  onClose: () => void
}

/** A new dataset of tasks that are composed of this one's. */
export function ComposeDialog({ source, onProgress, onClose }: Readonly<Props>) {
  return (
    <MakingDialog
      words={{ ...composing, title: composing.title(source.name) }}
      source={source.key}
      begin={() => newComposition(source)}
      totalOf={totalOf}
      send={(draft, { header, ...sending }) =>
        unwrap(
          api.POST('/api/datasets/{key}/compose', {
            params: { path: { key: source.key }, header },
            body: compositionBody(draft),
            ...sending,
          }),
        )
      }
      atFields={/^(levels(\.\d+)?|splits(\.\w+)?)$/}
      explanation={(draft) => (
        <div className="flex flex-col gap-1 text-ink-2">
          <p>{explanation(draft)}</p>
          <p className="text-xs text-ink-3">{composing.example}</p>
        </div>
      )}
      onProgress={onProgress}
      onClose={onClose}
    >
      {(draft, change, error) => (
        <>
          <LevelFields draft={draft} onChange={change} error={error} />
          <SplitCounts
            legend={composing.counts}
            splits={filledSplits(source)}
            help={(split) => composing.available(source.splits[split])}
            counts={draft.counts}
            onChange={(split, count) =>
              change((now) => ({ ...now, counts: { ...now.counts, [split]: count } }))
            }
            total={totalText(draft)}
            error={error}
          />
        </>
      )}
    </MakingDialog>
  )
}

interface LevelProps {
  draft: CompositionDraft
  onChange: Change<CompositionDraft>
  error: ApiError | null
}

function LevelFields({ draft, onChange, error }: Readonly<LevelProps>) {
  const problem = error?.fields.find(({ field }) => field.startsWith('levels'))?.message
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-semibold">{composing.levels}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {LEVELS.map((level) => (
          <Checkbox
            key={level}
            isSelected={draft.levels.includes(level)}
            onChange={(on) => onChange((now) => withLevel(now, level, on))}
            help={composing.problems(NODES[level])}
          >
            {composing.level[level]}
          </Checkbox>
        ))}
      </div>
      <FieldProblem message={problem} />
    </fieldset>
  )
}
