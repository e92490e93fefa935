/**
 * An immutable list that grows at its end in constant time.
 *
 * Versions share one array, and each sees only its own length. Growing the newest version appends to the
 * array; growing an older one copies first, so no version ever sees another's events.
 */
import type { Envelope } from './frames'

export class EventLog {
  static readonly EMPTY = new EventLog([], 0)

  private constructor(
    private readonly shared: Envelope[],
    readonly length: number,
  ) {}

  get first(): Envelope | undefined {
    return this.length > 0 ? this.shared[0] : undefined
  }

  get last(): Envelope | undefined {
    return this.shared[this.length - 1]
  }

  append(envelope: Envelope): EventLog {
    const newest = this.length === this.shared.length && this.length > 0
    const shared = newest ? this.shared : this.toArray()
    shared.push(envelope)
    return new EventLog(shared, this.length + 1)
  }

  toArray(): Envelope[] {
    return this.shared.slice(0, this.length)
  }
}
