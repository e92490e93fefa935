import { Card } from '@/components/card'
import { currentAttempt, type RunView } from '@/graph/run-view'

import { text } from '@/strings/compare'
import { both, type Pair } from './rows'
import { TextTabs } from './text-tabs'

/** With what both runs ended, whoever took part in them. */
export function FinalMessage({ views }: Readonly<{ views: Pair<RunView> }>) {
  return (
    <Card flush title={text.message}>
      <TextTabs label={text.message} texts={both(views, messageOf)} none={text.noMessage} />
    </Card>
  )
}

const messageOf = (view: RunView): string =>
  currentAttempt(view)?.outcome?.message ?? view.detail?.message ?? ''
