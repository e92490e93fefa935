/** Sudoku's grids, as of `workers/core/benchmarks/games/sudoku.py`. */
import type { Picture } from './episode'

/** Row by row; "" is an empty cell. */
export type Grid = readonly string[]

/** Its box is the square root; a larger grid is shown as its text. */
const SIZES: readonly number[] = [4, 9]
/** The one that has its solution looked for. */
const SOLVED_SIZE = 4

export const sizeOf = (grid: Grid): number => Math.sqrt(grid.length)

/** Of "1 _ 3 4" by row, or all cells in one line; null: it is no grid. */
export function gridOf(text: unknown): Grid | null {
  if (typeof text !== 'string' || text.length > 4 * 81) return null
  const marks = text.replaceAll(/\s/g, '')
  if (!SIZES.includes(Math.sqrt(marks.length))) return null
  const cells = marks.split('').map((mark) => (mark === '_' ? '' : mark))
  const isNumber = (cell: string): boolean =>
    cell === '' || (/^[1-9]$/.test(cell) && Number(cell) <= sizeOf(cells))
  return cells.every(isNumber) ? cells : null
}

/** The grid of a picture of Sudoku, and what was given; null: it has none. */
export function gridsIn({ game, start, board }: Picture) {
  if (game !== 'sudoku') return null
  const [given, filled] = [gridOf(start ?? board), gridOf(board)]
  return given && filled?.length === given.length ? { given, filled } : null
}

export const changesGiven = (grid: Grid, given: Grid): boolean =>
  grid.length !== given.length || given.some((cell, at) => cell !== '' && grid[at] !== cell)

/** Whether a number stands twice in a row, column or box. */
export function repeats(grid: Grid): boolean {
  const size = sizeOf(grid)
  const seen = new Set<string>()
  return grid.some((cell, at) => {
    if (cell === '') return false
    const units = unitsOf(at, size).map((unit) => `${unit} ${cell}`)
    const isTwice = units.some((unit) => seen.has(unit))
    for (const unit of units) seen.add(unit)
    return isTwice
  })
}

function unitsOf(at: number, size: number): readonly string[] {
  const [row, column, box] = [Math.floor(at / size), at % size, Math.sqrt(size)]
  const across = Math.floor(row / box) * box + Math.floor(column / box)
  return [`row ${row}`, `column ${column}`, `box ${across}`]
}

/** null: there is none, or it is not looked for. */
export function solutionOf(grid: Grid): Grid | null {
  if (sizeOf(grid) !== SOLVED_SIZE || repeats(grid)) return null
  const empty = grid.indexOf('')
  if (empty < 0) return grid
  for (let number = 1; number <= SOLVED_SIZE; number += 1) {
    const solved = solutionOf(grid.with(empty, String(number)))
    if (solved) return solved
  }
  return null
}

export type CellKind = 'empty' | 'given' | 'filled' | 'right' | 'wrong' | 'proposed' | 'refused'

export interface CellView {
  readonly kind: CellKind
  readonly text: string
}

/** `proposed`: an answer that fills nothing. `isRefused`: because it breaks the rules. */
export function cellsOf(
  { given, filled }: { readonly given: Grid; readonly filled: Grid },
  proposed: Grid | null,
  isRefused: boolean,
): readonly CellView[] {
  const solution = solutionOf(given)
  return filled.map((cell, at): CellView => {
    const other = proposed?.[at] ?? ''
    if (given[at]) {
      if (isRefused && other !== given[at]) return { kind: 'refused', text: other || given[at] }
      return { kind: 'given', text: given[at] }
    }
    if (isRefused && other !== '' && other !== cell) return { kind: 'refused', text: other }
    if (cell !== '') {
      const right = solution?.[at]
      return {
        kind: right === undefined ? 'filled' : right === cell ? 'right' : 'wrong',
        text: cell,
      }
    }
    return other === '' ? { kind: 'empty', text: '' } : { kind: 'proposed', text: other }
  })
}
