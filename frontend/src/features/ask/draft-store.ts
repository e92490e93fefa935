import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

import { keepable, type Attachments, type Files } from '@/components/attach/attachments'
import type { ConfigValue } from '@/lib/config-schema'

export interface BudgetDraft {
  readonly max_tokens: number | null
  readonly max_seconds: number | null
  readonly max_cost: number | null
  readonly max_completion_tokens_per_call: number | null
}

/** What the user has typed and chosen. null: the studio's default. */
export interface Draft {
  readonly query: string
  /** The expected answer; empty: the run is not judged. */
  readonly reference: string
  /** The dataset's task that the question is, as long as nobody has changed it. */
  readonly task: number | null
  readonly files: Files
  readonly method: string | null
  readonly endpoint: string | null
  readonly pool: string | null
  /** Of a method that learns; null: the studio's default. */
  readonly checkpoint: string | null
  readonly seed: number | null
  readonly config: Readonly<Record<string, Readonly<Record<string, ConfigValue>>>>
  readonly budget: BudgetDraft
}

interface DraftStore extends Draft {
  change: (part: Partial<Draft>) => void
}

export const MAX_SEED = 2 ** 31 - 1
export const rollSeed = (): number => Math.floor(Math.random() * 10_000)

const noBudget: BudgetDraft = {
  max_tokens: null,
  max_seconds: null,
  max_cost: null,
  max_completion_tokens_per_call: null,
}

/** Kept for the tab's session: leaving the page or reloading it loses no word. */
export const useDraft = create<DraftStore>()(
  persist(
    (set) => ({
      query: '',
      reference: '',
      task: null,
      files: [],
      method: null,
      endpoint: null,
      pool: null,
      checkpoint: null,
      seed: rollSeed(),
      config: {},
      budget: noBudget,
      change: (part) => set(part),
    }),
    {
      name: 'mas-studio-draft',
      version: 5,
      partialize: (draft) => ({ ...draft, files: keepable(draft.files) }),
      // An older draft lacks the checkpoint, the reference, the task or the files; what it holds is kept.
      migrate: (known) => ({
        checkpoint: null,
        reference: '',
        task: null,
        files: [],
        ...(known as Partial<Draft>),
      }),
      storage: createJSONStorage(() => sessionStorage),
    },
  ),
)

export const draftFiles: Attachments = {
  get: () => useDraft.getState().files,
  set: (files) => useDraft.setState({ files }),
}
