/** What is asked of a dataset of episodes: a draft, and what comes of it. */
import type { components } from '@/generated/api'
import type { Game } from '@/lib/api/queries'
import type { ConfigValue } from '@/lib/config-schema'
import { SPLITS } from '@/lib/splits'

import type { Draft } from './making-dialog'
import type { Counts } from './split-counts'

type Schemas = components['schemas']

const FIRST: Counts = { train: 1_000, dev: 100, test: 200 }

export interface EpisodesDraft extends Draft {
  readonly game: string
  /** Those that differ from the game's defaults. */
  readonly options: Readonly<Record<string, ConfigValue>>
  readonly counts: Counts
}

const keyOf = (game: string): string => game.replaceAll('_', '-')

export function newEpisodes(games: readonly Game[]): EpisodesDraft {
  const { key, name } = games[0] ?? { key: '', name: '' }
  return { key: keyOf(key), name, seed: 0, game: key, options: {}, counts: FIRST }
}

/** Of another game: with its name and key, unless somebody has chosen others. */
export function ofGame(draft: EpisodesDraft, games: readonly Game[], game: string): EpisodesDraft {
  const names = new Map(games.map(({ key, name }) => [key, name]))
  const isNamed = draft.name !== names.get(draft.game)
  const isKeyed = draft.key !== keyOf(draft.game)
  return {
    ...draft,
    game,
    options: {},
    ...(isNamed ? {} : { name: names.get(game) ?? game }),
    ...(isKeyed ? {} : { key: keyOf(game) }),
  }
}

export const totalOf = ({ counts }: EpisodesDraft): number =>
  SPLITS.reduce((sum, split) => sum + (counts[split] ?? 0), 0)

export function episodesBody(draft: EpisodesDraft): Schemas['EpisodesRequest'] {
  const { key, name, options, counts, seed } = draft
  return {
    key: key.trim(),
    name: name.trim(),
    options,
    splits: { train: counts.train ?? 0, dev: counts.dev ?? 0, test: counts.test ?? 0 },
    seed: seed ?? 0,
  }
}
