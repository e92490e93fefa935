import { Disclosure } from '@/components/disclosure'
import type { Method } from '@/lib/api/queries'
import { changedText, partsOf, settingsOf } from '@/lib/run-settings'

import { text } from '@/strings/evaluations'
import type { Evaluation } from './use-evaluations'

const { armTable } = text

interface Props {
  arm: Evaluation['arms'][number]
  method: Method | undefined
  /** As the table calls it; not said twice. */
  name: string
}

/** Under an arm's name: what it is made of, what was changed, and on demand every setting. */
export function ArmAbout({ arm, method, name }: Readonly<Props>) {
  const settings = settingsOf(arm, method)
  const parts = partsOf(arm, method)
  const changed = changedText(settings)
  const what = parts.map(([, value]) => value).filter((value) => value !== name)
  return (
    <div className="text-xs font-normal">
      <p className="text-ink-3">{what.join(' · ')}</p>
      {changed ? <p className="font-mono wrap-anywhere text-ink-2">{changed}</p> : null}
      <Disclosure title={armTable.settings} level={3}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
          {parts.map(([key, value]) => (
            <Entry key={key} name={key} value={value} />
          ))}
          {settings.map(({ key, value, isChanged }) => (
            <Entry key={key} name={key} value={value} isChanged={isChanged} />
          ))}
        </dl>
      </Disclosure>
    </div>
  )
}

interface EntryProps {
  name: string
  value: string
  isChanged?: boolean
}

function Entry({ name, value, isChanged = false }: Readonly<EntryProps>) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className={isChanged ? 'font-semibold break-words' : 'break-words'}>
        {value}
        {isChanged ? <span className="font-normal text-ink-3"> {armTable.changed}</span> : null}
      </dd>
    </>
  )
}
