import { Camera, Grid3x3 } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Page } from '@/components/page'
import { Tabs } from '@/components/tabs'
import { useMe } from '@/lib/api/queries'
import { useChoiceParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { text } from '@/strings/agents'
import { AgentList } from './agent-list'
import { CurvesView } from './curves-view'
import { FillDialog } from './fill-dialog'
import { SearchView } from './search-view'
import { SnapshotDialog } from './snapshot-dialog'

const VIEWS = ['list', 'learned', 'search'] as const

/** The agent database: who there is, what was learned of them, and who would be picked. */
export function AgentsPage() {
  useTitle(text.title)
  const [view, setView] = useChoiceParam('view', VIEWS)
  return (
    <Page title={text.title} lead={text.lead} actions={<Actions />}>
      <Tabs
        label={text.views.label}
        selected={view}
        onSelect={setView}
        panelClassName="pt-4"
        items={[
          { key: 'list', label: text.views.list, content: <AgentList /> },
          { key: 'learned', label: text.views.learned, content: <CurvesView /> },
          { key: 'search', label: text.views.search, content: <SearchView /> },
        ]}
      />
    </Page>
  )
}

/** For curators: the others read. */
function Actions() {
  const [asking, setAsking] = useState<'fill' | 'snapshot' | null>(null)
  if (useMe()?.permissions.curate !== true) return null
  return (
    <div className="flex flex-wrap gap-2">
      <Button onPress={() => setAsking('fill')} icon={<Grid3x3 size={14} aria-hidden />}>
        {text.fill.action}
      </Button>
      <Button onPress={() => setAsking('snapshot')} icon={<Camera size={14} aria-hidden />}>
        {text.snapshot.action}
      </Button>
      {asking === 'fill' ? <FillDialog onClose={() => setAsking(null)} /> : null}
      {asking === 'snapshot' ? <SnapshotDialog onClose={() => setAsking(null)} /> : null}
    </div>
  )
}
