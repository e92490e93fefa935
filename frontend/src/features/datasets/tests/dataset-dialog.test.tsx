import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'

import { DatasetDialog } from '@/features/datasets/dataset-dialog'
import type { Dataset } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const dataset = { key: 'sums', name: 'Sums', licence: '', benchmark: 'custom' } as Dataset

it('keeps what another person changed while it was open', async () => {
  const requests = playApi(({ path }) => ({
    body: path === '/api/benchmarks' ? [] : { ...dataset, licence: 'MIT' },
  }))
  show(<DatasetDialog dataset={dataset} onClose={vi.fn()} />)
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Mine' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(requests.find(({ method }) => method === 'PATCH')?.body).toEqual({ name: 'Mine' }),
  )
})
