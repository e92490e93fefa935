/** Told how many bytes of a request are sent, and of how many. */
export type OnSent = (sent: number, total: number) => void

const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * Sends a request as `fetch` does, and tells how much of it is on its way: `fetch` tells that of no
 * browser. Rejects as `fetch` does: with the signal's reason, or a TypeError.
 */
export async function sendTold(request: Request, onSent: OnSent): Promise<Response> {
  const { signal } = request
  const body = await request.blob()
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const give = ({ loaded, total }: ProgressEvent): void => onSent(loaded, total)
    const abort = (): void => {
      xhr.abort()
      // Whoever aborts says why: mostly a DOMException, as of `fetch`.
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort)
    xhr.upload.addEventListener('progress', give)
    xhr.upload.addEventListener('load', give)
    xhr.addEventListener('load', () => resolve(responseOf(xhr)))
    xhr.addEventListener('error', () => reject(new TypeError('The request failed.')))
    xhr.addEventListener('loadend', () => signal.removeEventListener('abort', abort))
    xhr.open(request.method, request.url)
    xhr.responseType = 'blob'
    request.headers.forEach((value, name) => xhr.setRequestHeader(name, value))
    xhr.send(body)
  })
}

function responseOf(xhr: XMLHttpRequest): Response {
  const { status, statusText } = xhr
  const body: unknown = xhr.response
  const headers = new Headers()
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(':')
    if (name) headers.append(name, value.join(':').trim())
  }
  return new Response(body instanceof Blob && !WITHOUT_BODY.has(status) ? body : null, {
    status,
    statusText,
    headers,
  })
}
