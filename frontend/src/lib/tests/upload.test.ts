import { beforeEach, describe, expect, it, vi } from 'vitest'

import { api, unwrap, uploadFetch } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'

/** The part of a browser's XMLHttpRequest that an upload uses; a test plays the network. */
class PlayedXhr extends EventTarget {
  static readonly made: PlayedXhr[] = []
  readonly upload = new EventTarget()
  readonly headers = new Headers()
  responseType = ''
  status = 0
  statusText = ''
  response: Blob | null = null
  opened = ''
  body: Blob | null = null
  isAborted = false
  private answerHeaders = ''

  constructor() {
    super()
    PlayedXhr.made.push(this)
  }

  open(method: string, url: string): void {
    this.opened = `${method} ${new URL(url).pathname}`
  }

  setRequestHeader(name: string, value: string): void {
    this.headers.append(name, value)
  }

  send(body: Blob): void {
    this.body = body
  }

  abort(): void {
    this.isAborted = true
    this.dispatchEvent(new Event('loadend'))
  }

  getAllResponseHeaders(): string {
    return this.answerHeaders
  }

  sent(loaded: number, total: number): void {
    this.upload.dispatchEvent(new ProgressEvent('progress', { loaded, total }))
  }

  answer(status: number, body: unknown, headers = 'content-type: application/json\r\n'): void {
    this.status = status
    this.response = new Blob([JSON.stringify(body)])
    this.answerHeaders = headers
    this.dispatchEvent(new Event('load'))
    this.dispatchEvent(new Event('loadend'))
  }

  fail(): void {
    this.dispatchEvent(new Event('error'))
    this.dispatchEvent(new Event('loadend'))
  }
}

const sending = async (signal?: AbortSignal) => {
  const form = new FormData()
  form.set('file', new File(['{"query": "1?"}'], 'a.jsonl'))
  const steps: [number, number][] = []
  const answer = unwrap(
    api.POST('/api/datasets/{key}/import', {
      params: { path: { key: 'sums' }, header: { 'Import-Id': 'an-id' } },
      body: { split: 'train', replace: false, dry_run: true },
      bodySerializer: () => form,
      fetch: uploadFetch((done, total) => steps.push([done, total])),
      ...(signal ? { signal } : {}),
    }),
  )
  answer.catch(() => null) // what it rejects with is looked at below
  const xhr = await vi.waitFor(() => {
    const [made] = PlayedXhr.made
    if (!made?.body) throw new Error('nothing is sent yet')
    return made
  })
  return { answer, xhr, steps }
}

const problemOf = async (answer: Promise<unknown>) =>
  toApiError(
    await answer.then(
      () => null,
      (error: unknown) => error,
    ),
  )

beforeEach(() => {
  PlayedXhr.made.length = 0
  vi.stubGlobal('XMLHttpRequest', PlayedXhr)
  document.cookie = 'studio_csrf=the-token'
})
describe('an upload', () => {
  it('sends the form with the headers that it was given, and tells how much of it is sent', async () => {
    const { answer, xhr, steps } = await sending()
    expect(xhr.opened).toBe('POST /api/datasets/sums/import')
    expect(xhr.headers.get('X-CSRFToken')).toBe('the-token')
    expect(xhr.headers.get('Import-Id')).toBe('an-id')
    const boundary = /boundary=(.+)$/.exec(xhr.headers.get('Content-Type') ?? '')?.[1]
    const body = await xhr.body?.text()
    expect(body).toContain(`--${boundary}`)
    expect(body).toContain('{"query": "1?"}')
    xhr.sent(3, 10)
    xhr.sent(10, 10)
    xhr.answer(200, { rows: 1 })
    expect(await answer).toEqual({ rows: 1 })
    expect(steps).toEqual([
      [3, 10],
      [10, 10],
    ])
  })

  it('reads a refusal as any other call does', async () => {
    const { answer, xhr } = await sending()
    const error = { code: 'imports_busy', message: 'Three are under way.', remedy: 'Wait.' }
    xhr.answer(429, { error }, 'content-type: application/json\r\nretry-after: 30\r\n')
    const problem = await problemOf(answer)
    expect(problem).toMatchObject({ ...error, status: 429, retryAfter: 30 })
  })

  it('is ended by its signal', async () => {
    const abort = new AbortController()
    const { answer, xhr } = await sending(abort.signal)
    expect(xhr.isAborted).toBe(false)
    abort.abort()
    await expect(answer).rejects.toThrow()
    expect(xhr.isAborted).toBe(true)
  })

  it('is not waited for without an end', async () => {
    const limit = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    const { answer, xhr } = await sending()
    limit.abort(new DOMException('late', 'TimeoutError'))
    expect((await problemOf(answer)).code).toBe('timeout')
    expect(xhr.isAborted).toBe(true)
  })

  it('tells when the network fails', async () => {
    const { answer, xhr } = await sending()
    xhr.fail()
    expect((await problemOf(answer)).code).toBe('unreachable')
  })
})
