/** What an answer did on the board, or would do, in a sentence. */
import { committedIn, type MoveView, type Picture, type TurnView } from './episode'
import { codeScene, passedOf } from './code'
import { gridOf, gridsIn, solutionOf } from './grids'
import { mathScene } from './math'
import { gridProblem } from './scene'
import { movesOf, wayOf, worldOf } from './worlds'
import { text } from './words'

/** "": only its text is known. */
export function resultOf(move: MoveView, before: Picture, commits: boolean): string {
  if (move.read === '') return text.unread
  return walked(move.read, before, commits) ?? filled(move.read, before, commits) ?? ''
}

/** Of the team's answer; "" while there is none. */
export function resultOfTurn(turn: TurnView): string {
  const move = committedIn(turn)
  return move ? resultOf(move, turn.before, true) || toldBy(turn.after) : ''
}

/** What the answers of a turn come to, where none of them moves a board. */
function toldBy(after: Picture): string {
  const agreed = mathScene(after)?.agreed ?? null
  if (agreed !== null) return text.answers[agreed ? 'agree' : 'differ']
  const coded = codeScene(after)
  if (!coded) return ''
  if (coded.broken !== '') return text.program.broken(coded.broken)
  return coded.tests.length > 0 ? text.program.tested(passedOf(coded), coded.tests.length) : ''
}

function walked(read: string, before: Picture, commits: boolean): string | null {
  const words = commits ? text.moves : text.proposedMoves
  const world = worldOf(before)
  const moves = movesOf(read)
  if (!world || moves.length === 0) return null
  const { made, blocked, isSolved } = wayOf(world, moves)
  if (isSolved) return words.solved(made, moves.length - made)
  return blocked ? words.blocked(made, moves.length, moves[made] ?? '') : words.made(made)
}

function filled(read: string, before: Picture, commits: boolean): string | null {
  const words = commits ? text.cells : text.proposedCells
  const grids = gridsIn(before)
  const grid = gridOf(read)
  if (!grids || !grid) return null
  const { given } = grids
  const problem = gridProblem(read, given)
  if (problem) return words[problem]
  const solution = solutionOf(given)
  const cells = given.flatMap((cell, at) => (cell === '' && grid[at] ? [at] : []))
  const right = cells.filter((at) => solution?.[at] === grid[at])
  return words.filled(cells.length, solution && right.length)
}
