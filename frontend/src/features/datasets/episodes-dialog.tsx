import { ConfigForm } from '@/components/config-form'
import { Select } from '@/components/select'
import { api, unwrap } from '@/lib/api/client'
import type { ApiError } from '@/lib/api/errors'
import type { Game } from '@/lib/api/queries'
import { configFields } from '@/lib/config-schema'
import { SPLITS } from '@/lib/splits'
import { text } from '@/strings/datasets'

import { episodesBody, newEpisodes, ofGame, totalOf, type EpisodesDraft } from './episodes'
import { MakingDialog, type Change } from './making-dialog'
import { SplitCounts } from './split-counts'

const { episodes: words } = text

interface Props {
  games: readonly Game[]
  onProgress: (progress: string | null) => void
  onClose: () => void
}

/** A new dataset of a game's boards. */
export function EpisodesDialog({ games, onProgress, onClose }: Readonly<Props>) {
  return (
    <MakingDialog
      words={words}
      source=""
      begin={() => newEpisodes(games)}
      totalOf={totalOf}
      send={(draft, { header, ...sending }) =>
        unwrap(
          api.POST('/api/games/{key}/episodes', {
            params: { path: { key: draft.game }, header },
            body: episodesBody(draft),
            ...sending,
          }),
        )
      }
      atFields={/^(options\.\w+|splits(\.\w+)?)$/}
      explanation={() => <p className="text-ink-2">{words.explain}</p>}
      onProgress={onProgress}
      onClose={onClose}
    >
      {(draft, change, error) => (
        <>
          <GameFields games={games} draft={draft} onChange={change} error={error} />
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

interface GameProps {
  games: readonly Game[]
  draft: EpisodesDraft
  onChange: Change<EpisodesDraft>
  error: ApiError | null
}

function GameFields({ games, draft, onChange, error }: Readonly<GameProps>) {
  const chosen = games.find(({ key }) => key === draft.game)
  return (
    <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2">
      <Select
        label={words.game}
        options={games.map(({ key, name, description }) => ({ key, label: name, description }))}
        value={draft.game}
        onChange={(key) => onChange((now) => ofGame(now, games, key))}
      />
      <ConfigForm
        fields={configFields(chosen?.options_schema)}
        values={draft.options}
        onChange={(options) => onChange((now) => ({ ...now, options }))}
        error={error}
        errorPath="options"
      />
    </div>
  )
}
