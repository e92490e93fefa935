import { Workflow } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { toApiError } from '@/lib/api/errors'
import { takeIntoDesign, useMe } from '@/lib/api/queries'
import { notifyProblem } from '@/lib/toasts'

import { text } from '@/strings/run'

/** Makes a design of what was built, for who may, and leads there. */
export function TakeIntoDesign({ from }: Readonly<{ from: Parameters<typeof takeIntoDesign>[0] }>) {
  const me = useMe()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  if (!me?.permissions.run) return null
  const take = async (): Promise<void> => {
    setBusy(true)
    try {
      await navigate(`/designs/${await takeIntoDesign(from)}`)
    } catch (thrown) {
      notifyProblem(toApiError(thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="sm" isPending={busy} onPress={() => void take()} icon={Workflow}>
      {text.intoDesign}
    </Button>
  )
}
