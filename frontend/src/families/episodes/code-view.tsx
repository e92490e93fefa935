import { Check, X } from 'lucide-react'

import { CodeBlock } from '@/components/code-block'
import { cx } from '@/components/cx'
import { ScrollRegion } from '@/components/scroll-region'

import { passedOf, type CodeScene, type Test } from './code'
import { text } from './view-words'
import { text as all } from './words'

const { code: words } = text
const { program: told } = all

/** The program, why it fails, and each test with its result. */
export function CodeView({ scene }: Readonly<{ scene: CodeScene }>) {
  const { program, broken, tests, testedBefore, hidden } = scene
  if (program === '' && broken === '') return <p className="text-ink-2">{words.none}</p>
  return (
    <ScrollRegion label={text.state} className="size-full overflow-auto">
      <div className="mx-auto flex max-w-4xl flex-col gap-3">
        {program === '' ? null : (
          <CodeBlock label={words.program} body={program} failed={broken !== ''} />
        )}
        {broken === '' ? null : <p className="text-bad">{told.broken(broken)}</p>}
        {hidden ? (
          <p title={words.hiddenHelp}>{words.hidden(hidden.passed, hidden.total)}</p>
        ) : null}
        {tests.length === 0 ? null : (
          <div className="flex flex-col gap-1.5">
            <p>
              {told.tested(passedOf(scene), tests.length)}{' '}
              <span className="text-xs text-ink-3">
                {testedBefore ? words.testedBefore : words.testedNow}
              </span>
            </p>
            <ul className="flex flex-col gap-1.5">
              {tests.map((test, at) => (
                <Result key={at} test={test} />
              ))}
            </ul>
          </div>
        )}
      </div>
    </ScrollRegion>
  )
}

function Result({ test: { test, why } }: Readonly<{ test: Test }>) {
  const passes = why === ''
  const Icon = passes ? Check : X
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 text-xs">
      <span
        className={cx(
          'inline-flex w-18 shrink-0 items-center gap-1 font-medium',
          passes ? 'text-good' : 'text-bad',
        )}
      >
        <Icon size={12} aria-hidden strokeWidth={2.5} />
        {passes ? words.passed : words.failed}
      </span>
      <code className="min-w-0 font-mono wrap-anywhere">{test}</code>
      {passes ? null : <span className="text-ink-2">{why}</span>}
    </li>
  )
}
