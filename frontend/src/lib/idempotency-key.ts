import { useState } from 'react'

import { toApiError } from '@/lib/api/errors'

import { uniqueId } from './unique'

/**
 * The Idempotency-Key of what is sent. It belongs to the request's content until an answer has come:
 * pressing twice, or again after a lost answer, never makes two of anything.
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

  /** A refusal is an answer; an error on the way, or of the server, is none. */
  failed(error: unknown): void {
    const { status } = toApiError(error)
    if (status >= 400 && status < 500) this.answered()
  }
}

export function useIdempotencyKey(): IdempotencyKey {
  return useState(() => new IdempotencyKey())[0]
}
