import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { attach, filesOf, refusal } from '@/features/ask/attach'
import { AttachedFiles } from '@/features/ask/attached-files'
import { useDraft, type DraftFile } from '@/features/ask/draft-store'
import { requestOf } from '@/features/ask/use-ask'
import { FILE_MAX_BYTES, FILES_MAX, FILES_MAX_BYTES } from '@/generated/events'
import { api } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import { show } from '@/lib/tests/show'

const attached = (part: Partial<DraftFile> = {}): DraftFile => ({
  key: 'k',
  name: 'a.csv',
  size: 10,
  id: 'u1',
  sent: 10,
  problem: null,
  ...part,
})

const files = () => useDraft.getState().files

beforeEach(() => {
  vi.restoreAllMocks()
  useDraft.setState(useDraft.getInitialState())
})

describe('a file', () => {
  it('is sent at once, and then named by its id and the name that agents see', async () => {
    const post = vi.spyOn(api, 'POST').mockResolvedValue({ data: { id: 'u1', name: 'a_b.csv' } })
    attach([new File(['x,y'], 'a<b.csv')])
    expect(files()).toMatchObject([{ name: 'a<b.csv', size: 3, id: null }])
    await waitFor(() => expect(files()).toMatchObject([{ name: 'a_b.csv', id: 'u1' }]))
    const options = post.mock.calls[0]?.[1] as unknown as { bodySerializer: () => FormData }
    expect((options.bodySerializer().get('file') as File).name).toBe('a<b.csv')
    const choices = { method: undefined, endpoint: undefined, pool: undefined, fields: [] }
    expect(requestOf(useDraft.getState(), choices)).toMatchObject({ uploads: ['u1'] })
  })

  it('says why the studio refused it, and can be taken away', async () => {
    const message = '“a.pdf” can’t be attached. It is named like a PDF, but its content is none.'
    const fields = [{ field: 'file', code: 'unreadable', message }]
    const problem = {
      code: 'unreadable',
      message,
      remedy: '',
      status: 400,
      fields,
      retryAfter: null,
    }
    vi.spyOn(api, 'POST').mockRejectedValue(new ApiError(problem))
    attach([new File(['no'], 'a.pdf')])
    show(<AttachedFiles error={undefined} isDisabled={false} />)
    expect(await screen.findByText(message)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Remove a.pdf' }))
    expect(files()).toEqual([])
  })

  it('that is taken away is taken back', () => {
    const taken = vi.spyOn(api, 'DELETE').mockResolvedValue({})
    useDraft.setState({ files: [attached()] })
    show(<AttachedFiles error={undefined} isDisabled={false} />)
    fireEvent.click(screen.getByRole('button', { name: 'Remove a.csv' }))
    expect(files()).toEqual([])
    expect(taken.mock.calls[0]?.[1]).toEqual({ params: { path: { upload_id: 'u1' } } })
  })
})

describe('what can not come along', () => {
  it.each([
    [{ size: 0 }, [], 'empty'],
    [{ size: FILE_MAX_BYTES + 1 }, [], 'more than 30 MB'],
    [{ size: 1 }, Array.from({ length: FILES_MAX }, () => attached()), 'at most 20 files'],
    [{ size: 11 }, [attached({ size: FILES_MAX_BYTES - 10 })], 'more than 60 MB together'],
  ])('%#: is refused before it is sent', (file, others, why) => {
    expect(refusal(file, others)).toContain(why)
  })

  it('does not count what was refused', () => {
    expect(refusal({ size: 11 }, [attached({ size: FILES_MAX_BYTES, problem: 'no' })])).toBeNull()
  })
})

it('takes a table that is pasted as text, and not the picture of it', () => {
  const picture = new File(['p'], 'image.png')
  const pasted = (types: string[]) => ({ types, files: [picture] }) as unknown as DataTransfer
  expect(filesOf(pasted(['text/plain', 'Files']))).toEqual([])
  expect(filesOf(pasted(['Files']))).toEqual([picture])
})
