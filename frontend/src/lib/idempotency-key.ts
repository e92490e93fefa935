import { useState } from 'react'

import { toApiError } from '@/lib/api/errors'

import { uniqueId } from './unique'

interface Header {
  readonly 'Idempotency-Key': string
}

const USED = 'idempotency_conflict'

/**
 * The Idempotency-Key of what is sent. It belongs to the request's content until that has been made:
 * pressing twice, or again after a lost answer or a refusal, never makes two of anything.
 */
export class IdempotencyKey {
  private pending: { body: string; key: string } | null = null

  header(body: unknown): Header {
    const text = JSON.stringify(body)
    if (this.pending?.body !== text) this.pending = { body: text, key: uniqueId() }
    return { 'Idempotency-Key': this.pending.key }
  }

  /** Sends it with its key. */
  async send<T>(body: unknown, request: (header: Header) => Promise<T>): Promise<T> {
    try {
      const answer = await request(this.header(body))
      this.answered()
      return answer
    } catch (error) {
      this.failed(error)
      throw error
    }
  }

  answered(): void {
    this.pending = null
  }

  /** A refusal may be that of a second try whose first one has arrived: only a key in use is spent. */
  failed(error: unknown): void {
    if (toApiError(error).code === USED) this.answered()
  }
}

export function useIdempotencyKey(): IdempotencyKey {
  return useState(() => new IdempotencyKey())[0]
}
