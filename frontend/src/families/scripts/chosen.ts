/** What is chosen, as it stands in the address: a block by its id, or a line as "L3". */
import type { Drawing, DrawnBlock } from './scripts'

const LINE = /^L([1-9]\d{0,5})$/

export const lineId = (line: number): string => `L${line}`

export interface Chosen {
  readonly id: string
  readonly line: number
  /** Of a line all that are made there. */
  readonly blocks: readonly DrawnBlock[]
  readonly isLine: boolean
}

/** null: nothing, or nothing that there is. */
export function chosenIn(id: string | null, drawing: Drawing | null, lines: number): Chosen | null {
  if (id === null) return null
  const line = Number(LINE.exec(id)?.[1] ?? 0)
  if (line > 0) {
    const blocks = drawing?.blocks.filter((block) => block.line === line) ?? []
    return line <= lines ? { id, line, blocks, isLine: true } : null
  }
  const block = drawing?.blocks.find((each) => each.id === id)
  return block ? { id, line: block.line, blocks: [block], isLine: false } : null
}
