import { Checkbox } from '@/components/checkbox'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage } from '@/lib/api/errors'
import { SPLITS } from '@/lib/splits'
import { text } from '@/strings/datasets'

import { MakingDialog, type Draft } from './making-dialog'
import { SplitCounts, type Counts } from './split-counts'

const { questions: words } = text

const LEVELS = [1, 2, 3] as const
const FIRST: Counts = { train: 200, dev: 50, test: 100 }

interface QuestionsDraft extends Draft {
  readonly levels: readonly number[]
  readonly counts: Counts
}

const begin = (): QuestionsDraft => ({
  ...{ key: 'research', name: words.name, seed: 0 },
  ...{ levels: LEVELS, counts: FIRST },
})

const totalOf = ({ levels, counts }: QuestionsDraft): number =>
  levels.length === 0 ? 0 : SPLITS.reduce((sum, split) => sum + (counts[split] ?? 0), 0)

interface Props {
  onProgress: (progress: string | null) => void
  onClose: () => void
}

/** A new dataset of questions that need several pages. */
export function QuestionsDialog({ onProgress, onClose }: Readonly<Props>) {
  return (
    <MakingDialog
      words={words}
      source=""
      begin={begin}
      totalOf={totalOf}
      send={({ key, name, seed, levels, counts }, { header, ...sending }) =>
        unwrap(
          api.POST('/api/questions', {
            params: { header },
            body: {
              ...{ key: key.trim(), name: name.trim(), seed: seed ?? 0, levels: [...levels] },
              splits: { train: counts.train ?? 0, dev: counts.dev ?? 0, test: counts.test ?? 0 },
            },
            ...sending,
          }),
        )
      }
      atFields={/^(levels|splits(\.\w+)?)$/}
      explanation={() => <p className="text-ink-2">{words.explain}</p>}
      onProgress={onProgress}
      onClose={onClose}
    >
      {(draft, change, error) => (
        <>
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1.5 text-xs font-medium text-ink-2">{words.levels}</legend>
            {LEVELS.map((level) => (
              <Checkbox
                key={level}
                isSelected={draft.levels.includes(level)}
                onChange={(chosen) =>
                  change((now) => ({
                    ...now,
                    levels: LEVELS.filter((each) =>
                      each === level ? chosen : now.levels.includes(each),
                    ),
                  }))
                }
              >
                {words.level[level]}
              </Checkbox>
            ))}
            <p role="alert" className="text-xs text-bad empty:hidden">
              {fieldMessage(error, 'levels')}
            </p>
          </fieldset>
          <SplitCounts
            legend={words.counts}
            splits={SPLITS}
            counts={draft.counts}
            onChange={(split, count) =>
              change((now) => ({ ...now, counts: { ...now.counts, [split]: count } }))
            }
            total={words.total(totalOf(draft))}
            error={error}
          />
        </>
      )}
    </MakingDialog>
  )
}
