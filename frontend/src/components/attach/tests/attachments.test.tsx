import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { AttachedFiles } from '@/components/attach/attached-files'
import {
  allSent,
  attach,
  filesOf,
  keepable,
  refusal,
  uploadsOf,
  type AttachedFile,
  type Attachments,
  type Files,
} from '@/components/attach/attachments'
import { useDropped } from '@/components/attach/use-dropped'
import { FILE_MAX_BYTES, FILES_MAX, FILES_MAX_BYTES } from '@/generated/events'
import { api } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import { show } from '@/lib/tests/show'

const attached = (part: Partial<AttachedFile> = {}): AttachedFile => ({
  key: 'k',
  name: 'a.csv',
  size: 10,
  id: 'u1',
  sent: 10,
  problem: null,
  ...part,
})

let files: Files = []
const kept: Attachments = { get: () => files, set: (next) => (files = next) }

beforeEach(() => {
  vi.restoreAllMocks()
  files = []
})

describe('a file', () => {
  it('is sent at once, and then named by its id and the name that agents see', async () => {
    const post = vi.spyOn(api, 'POST').mockResolvedValue({ data: { id: 'u1', name: 'a_b.csv' } })
    attach(kept, [new File(['x,y'], 'a<b.csv')])
    expect(files).toMatchObject([{ name: 'a<b.csv', size: 3, id: null }])
    expect([allSent(files), uploadsOf(files), keepable(files)]).toEqual([false, {}, []])
    await waitFor(() => expect(files).toMatchObject([{ name: 'a_b.csv', id: 'u1' }]))
    const options = post.mock.calls[0]?.[1] as unknown as { bodySerializer: () => FormData }
    expect((options.bodySerializer().get('file') as File).name).toBe('a<b.csv')
    expect([allSent(files), uploadsOf(files)]).toEqual([true, { uploads: ['u1'] }])
  })

  it('says why the studio refused it, holds the question back, and can be taken away', async () => {
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
    attach(kept, [new File(['no'], 'a.pdf')])
    await waitFor(() => expect(files).toMatchObject([{ problem: message }]))
    expect(allSent(files)).toBe(false)
    show(<AttachedFiles files={files} kept={kept} />)
    expect(screen.getByText(message)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Remove a.pdf' }))
    expect(files).toEqual([])
  })

  it('that is taken away is taken back', () => {
    const taken = vi.spyOn(api, 'DELETE').mockResolvedValue({})
    files = [attached()]
    show(<AttachedFiles files={files} kept={kept} />)
    fireEvent.click(screen.getByRole('button', { name: 'Remove a.csv' }))
    expect(files).toEqual([])
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

const picture = new File(['p'], 'image.png')
const data = (types: string[]) => ({ types, files: [picture] }) as unknown as DataTransfer

it('takes a table that is pasted as text, and not the picture of it', () => {
  expect(filesOf(data(['text/plain', 'Files']))).toEqual([])
  expect(filesOf(data(['Files']))).toEqual([picture])
})

function Page({ isOn, onFiles }: Readonly<{ isOn: boolean; onFiles: (files: unknown) => void }>) {
  return <p>{useDropped(isOn, onFiles) ? 'over' : 'not over'}</p>
}

describe('files that are dropped on a page', () => {
  it('are taken wherever they fall, and so are pasted ones', () => {
    const onFiles = vi.fn()
    show(<Page isOn onFiles={onFiles} />)
    fireEvent.dragOver(document.body, { dataTransfer: data(['Files']) })
    expect(screen.getByText('over')).toBeTruthy()
    const isOpenedByBrowser = fireEvent.drop(document.body, { dataTransfer: data(['Files']) })
    expect(isOpenedByBrowser).toBe(false)
    expect(screen.getByText('not over')).toBeTruthy()
    fireEvent.paste(document.body, { clipboardData: data(['Files']) })
    expect(onFiles.mock.calls).toEqual([[[picture]], [[picture]]])
  })

  it('are the browser’s where nothing may be asked', () => {
    const onFiles = vi.fn()
    show(<Page isOn={false} onFiles={onFiles} />)
    expect(fireEvent.drop(document.body, { dataTransfer: data(['Files']) })).toBe(true)
    expect(onFiles).not.toHaveBeenCalled()
  })
})
