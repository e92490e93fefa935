/** A program and its tests, as of `workers/core/environments/code.py`. */
import { isObject } from '@/lib/is-object'

import type { Picture } from './episode'

export interface Test {
  readonly test: string
  /** Why the program fails it; "": it passes. */
  readonly why: string
}

export interface CodeScene {
  readonly kind: 'code'
  readonly program: string
  /** Why the program does not run; "": it runs. */
  readonly broken: string
  /** The tester's last ones, tried on the program that it saw. */
  readonly tests: readonly Test[]
  /** The coder has written another program since. */
  readonly testedBefore: boolean
  /** The task's own tests that no agent sees; null: there are none. */
  readonly hidden: { readonly passed: number; readonly total: number } | null
}

/** null: the picture is of another environment. */
export function codeScene(picture: Picture): CodeScene | null {
  const { kind, program, broken, tests, golden } = picture
  if (kind !== 'code' || typeof program !== 'string') return null
  return {
    kind,
    program,
    broken: typeof broken === 'string' ? broken : '',
    tests: Array.isArray(tests) ? tests.filter(isTest) : [],
    testedBefore: picture.tested_before === true,
    hidden: isCount(golden) ? golden : null,
  }
}

export const passedOf = ({ tests }: CodeScene): number =>
  tests.filter(({ why }) => why === '').length

const isTest = (value: unknown): value is Test =>
  isObject(value) && typeof value.test === 'string' && typeof value.why === 'string'

const isCount = (value: unknown): value is NonNullable<CodeScene['hidden']> =>
  isObject(value) && typeof value.passed === 'number' && typeof value.total === 'number'
