import { useState } from 'react'

import { toApiError } from '@/lib/api/errors'

import { uniqueId } from './unique'

const USED = 'idempotency_conflict'

/**
 * The Idempotency-Key of what is sent. It belongs to the request's content until that has been made:
 * pressing twice, or again after a lost answer or a refusal, never makes two of anything.
 */
export class IdempotencyKey {
  private pending: { body: string; key: string } | null = null

  header(body: unknown): { 'Idempotency-Key': string } {
    const text = JSON.stringify(body)
    if (this.pending?.body !== text) this.pending = { body: text, key: uniqueId() }
    return { 'Idempotency-Key': this.pending.key }
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
