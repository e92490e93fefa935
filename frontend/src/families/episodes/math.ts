/** A question that is answered in words and by a program, as of `workers/core/environments/math.py`. */
import { isObject } from '@/lib/is-object'

import type { Picture } from './episode'

const SPEAKERS = ['reasoner', 'tool_user'] as const
export type Speaker = (typeof SPEAKERS)[number]

/** What an agent said last. */
export interface Said {
  readonly speaker: Speaker
  /** The reasoner's message, the tool user's program. */
  readonly text: string
  /** What the program printed. */
  readonly output: string
  /** null: none could be read. */
  readonly answer: string | null
  /** null: not judged. */
  readonly right: boolean | null
}

export interface MathScene {
  readonly kind: 'math'
  readonly said: readonly Said[]
  /** null while there are no two answers. */
  readonly agreed: boolean | null
}

/** null: the picture is of another environment. */
export function mathScene(picture: Picture): MathScene | null {
  if (picture.kind !== 'math') return null
  const said = SPEAKERS.flatMap((speaker) => saidBy(speaker, picture[speaker]))
  const answers = said.filter(({ answer }) => answer !== null)
  const agreed = answers.length < SPEAKERS.length ? null : picture.agreed === true
  return { kind: 'math', said, agreed }
}

const saidBy = (speaker: Speaker, said: unknown): readonly Said[] =>
  isObject(said)
    ? [
        {
          speaker,
          text: textOf(said.text),
          output: textOf(said.output),
          answer: typeof said.answer === 'string' ? said.answer : null,
          right: typeof said.right === 'boolean' ? said.right : null,
        },
      ]
    : []

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
