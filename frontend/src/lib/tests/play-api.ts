import { vi } from 'vitest'

export interface Sent {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

export interface Answer {
  readonly status?: number
  readonly body?: unknown
}

/** Plays the API: every request is kept, and answered by what `answer` returns for it; else 404. */
export function playApi(
  answer: (sent: Sent) => Answer | Promise<Answer> | undefined,
): readonly Sent[] {
  const requests: Sent[] = []
  vi.stubGlobal('fetch', async (input: Request | string) => {
    const request = new Request(input)
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/api/auth/csrf') return Response.json({ token: 't' })
    const said = await request.text()
    const sent = {
      method: request.method,
      path: pathname,
      query: searchParams,
      body: said ? (JSON.parse(said) as unknown) : null,
    }
    requests.push(sent)
    const { status = 200, body = null } = (await answer(sent)) ?? { status: 404 }
    return Response.json(body, { status })
  })
  return requests
}
