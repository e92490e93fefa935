import { describe, expect, it } from 'vitest'

import { attemptIn, replay } from '@/graph/tests/frames'

import {
  committedIn,
  episodeOf,
  proposedIn,
  standingOf,
  turnsOf,
  type Picture,
} from '@/families/episodes/episode'
import { gridOf, repeats, solutionOf } from '@/families/episodes/grids'
import { resultOf, resultOfTurn } from '@/families/episodes/results'
import { sceneOf, startOf } from '@/families/episodes/scene'
import { isSolved, movesOf, placesOf, wayOf, worldOf } from '@/families/episodes/worlds'
import { MATH_PARTS, MATH_START, MAZE_PARTS, MAZE_START, played } from './frames'

function turnsAfter(parts: number, isOver = true) {
  const frames = played(MAZE_START, MAZE_PARTS.slice(0, parts), isOver)
  const attempt = attemptIn(replay(frames))
  const episode = episodeOf(attempt)
  if (!episode) throw new Error('no episode')
  return { turns: turnsOf(episode, attempt.agents.values()), episode, attempt }
}

describe('the turns of an episode', () => {
  it('hold who proposed and who decided, also before the second has spoken', () => {
    const { turns, episode, attempt } = turnsAfter(4)
    expect(turns.map(({ number }) => number)).toEqual([1, 2])
    expect(turns.map((turn) => [proposedIn(turn)?.read, committedIn(turn)?.read])).toEqual([
      ['left', 'right, down'],
      ['R', 'right, left'],
    ])
    expect(standingOf(episode, true)).toBe('solved')
    expect(attempt.answeredBy).toEqual(['planner-2'])
    const [first] = turnsAfter(1).turns
    expect(first && [proposedIn(first)?.read, committedIn(first)]).toEqual(['left', null])
  })

  it('end solved, used up, stopped, or not yet', () => {
    expect(standingOf(turnsAfter(3).episode, true)).toBe('usedUp')
    expect(standingOf(turnsAfter(2).episode, true)).toBe('stopped')
    expect(standingOf(turnsAfter(2).episode, false)).toBe('playing')
  })

  it('say why a list of moves ended', () => {
    const { turns } = turnsAfter(4)
    expect(turns.map(resultOfTurn)).toEqual([
      'Move 2 (down) was blocked. 1 of 2 moves was made.',
      'Solved with 1 move. 1 more move was not needed.',
    ])
    const proposal = turns[0]?.parts[0]?.move
    expect(proposal && resultOf(proposal, MAZE_START, false)).toBe(
      'Move 1 of 1 (left) would be blocked.',
    )
  })
})

describe('the scene of a turn', () => {
  it('has the way before, the moves one by one, the proposal, and what was in the way', () => {
    const [first, second] = turnsAfter(4).turns.map(sceneOf)
    if (first?.kind !== 'walk' || second?.kind !== 'walk') throw new Error('no walk')
    expect(first.worlds.map(({ walker }) => walker.column)).toEqual([0, 1])
    expect(first.blocked).toEqual({ row: 1, column: 1 })
    expect(second.earlier.map(({ column }) => column)).toEqual([0, 1])
    expect(second.worlds.map(isSolved)).toEqual([false, true])
    expect(second.proposed && placesOf(second.proposed).map(({ column }) => column)).toEqual([1, 2])
  })

  it('shows the board alone where the moves do not lead to it', () => {
    const picture = { ...MAZE_START, board: '..G\n.#S', moves: ['right'] }
    const scene = sceneOf({ ...startOf(MAZE_START), after: picture })
    expect(scene.kind === 'walk' && scene.worlds.map(({ walker }) => walker)).toEqual([
      { row: 1, column: 2 },
    ])
  })

  it.each<[string, Picture]>([
    ['nothing', {}],
    ['another game', { game: 'go', board: 'S' }],
    ['a name of every object', { game: 'constructor', board: 'S' }],
    ['no text', { game: 'plan_path', board: 7, moves: 'up' }],
    ['no player', { game: 'plan_path', board: '..' }],
    ['two players', { game: 'plan_path', board: 'SS' }],
    ['an unknown mark', { game: 'plan_path', board: 'S?' }],
    ['too many rows', { game: 'plan_path', board: `S${'\n.'.repeat(9_999)}` }],
    ['a grid of another size', { game: 'sudoku', start: '1 _', board: '1 _' }],
    ['a number too large', { game: 'sudoku', start: '9'.repeat(16), board: '9'.repeat(16) }],
    ['a program of another environment', { problem: 'Add.', tests: [{ passed: true }] }],
    ['code without a program', { kind: 'code', program: null }],
  ])('tells its parts by name for %s', (_, picture) => {
    expect(sceneOf(startOf(picture)).kind).toBe('other')
  })

  it.each([
    ['one cell', 'S'],
    ['rows of unequal length', 'S\n...G\n#'],
    ['forty rows', `S${'.'.repeat(39)}\n`.concat(`${'.'.repeat(40)}\n`.repeat(38), '.'.repeat(40))],
  ])('is a board with %s', (_, board) => {
    const scene = sceneOf(startOf({ game: 'plan_path', start: board, board, moves: [] }))
    if (scene.kind !== 'walk') throw new Error('no walk')
    expect(new Set(scene.worlds[0].ground.map((row) => row.length)).size).toBe(1)
  })
})

describe('answers and programs', () => {
  const sceneOfPicture = (picture: Picture) => sceneOf(startOf(picture))

  it('agree or differ only where there are two', () => {
    const agreed = (picture: Picture) => {
      const scene = sceneOfPicture(picture)
      return scene.kind === 'math' ? scene.agreed : scene.kind
    }
    const pictures = [MATH_START, ...MATH_PARTS.map(([, , picture]) => picture)]
    expect(pictures.map(agreed)).toEqual([null, null, false, false, true])
    expect(agreed({ kind: 'math', reasoner: { answer: 7 }, tool_user: [], agreed: true })).toBe(
      null,
    )
  })

  it('leave out what is no test and no count', () => {
    const tests = [{ test: 'assert f()', why: '' }, { test: 1 }, null]
    expect(sceneOfPicture({ kind: 'code', program: 'f', tests, golden: { passed: '1' } })).toEqual({
      ...{ kind: 'code', program: 'f', broken: '', testedBefore: false, hidden: null },
      tests: [{ test: 'assert f()', why: '' }],
    })
  })
})

describe('moves', () => {
  it('are words or letters, and nothing else', () => {
    expect(movesOf('up, down')).toEqual(['up', 'down'])
    expect(movesOf('RL')).toEqual(['right', 'left'])
    expect(movesOf('up, then down')).toEqual([])
    expect(movesOf('')).toEqual([])
  })

  it('push a box that keeps its place in the list, but not into a wall or another box', () => {
    const world = worldOf({ game: 'sokoban', board: '#######\n#@$_.$#\n#____.#\n#######' })
    if (!world) throw new Error('no world')
    const pushed = wayOf(world, ['right', 'right', 'right'])
    expect(pushed.worlds.map(({ boxes }) => boxes.map(({ column }) => column))).toEqual([
      [2, 5],
      [3, 5],
      [4, 5],
    ])
    expect(pushed).toMatchObject({ made: 2, blocked: { row: 1, column: 4 }, isSolved: false })
  })
})

describe('a sudoku', () => {
  const given = '1 _ 3 4\n3 4 1 _\n_ 1 4 3\n4 3 _ 1'
  const picture = (board: string): Picture => ({ game: 'sudoku', start: given, board })
  const turn = (read: string, board: string, proposal = '') => ({
    ...startOf(picture(given)),
    parts: [
      {
        agentId: 'planner-1',
        commits: proposal === '',
        move: {
          ...{ agentId: 'planner-1', turn: 1, read, team: {}, local: {}, ended: null },
          picture: picture(board),
        },
      },
    ],
    after: picture(board),
  })
  const kinds = (scene: ReturnType<typeof sceneOf>) =>
    scene.kind === 'grid' && [0, 1, 7, 8, 14].map((at) => scene.cells[at]?.kind)

  it('is solved and checked by its rules', () => {
    const grid = gridOf(given)
    expect(grid && solutionOf(grid)?.join('')).toBe('1234341221434321')
    expect(repeats(gridOf('1_3_341__143431_') ?? [])).toBe(true)
    expect(gridOf('1234')).toBeNull()
  })

  it('marks what was filled in as right or wrong', () => {
    const filled = '1 2 3 4\n3 4 1 _\n_ 1 4 3\n4 3 _ 1'
    expect(kinds(sceneOf(turn(filled, filled)))).toEqual([
      ...['given', 'right', 'empty', 'empty', 'empty'],
    ])
    expect(resultOfTurn(turn(filled, filled))).toBe('1 cell filled in, 1 of them right.')
  })

  it('shows a proposal, and an answer that was refused with the reason', () => {
    const whole = '1234341221434321'
    expect(kinds(sceneOf(turn(whole, given, whole)))).toEqual([
      ...['given', 'proposed', 'proposed', 'proposed', 'proposed'],
    ])
    const refused = turn('2234341221434321', given)
    expect(kinds(sceneOf(refused))).toEqual(['refused', ...Array<string>(4).fill('refused')])
    expect(resultOfTurn(refused)).toBe('It changes a given number, so nothing was filled in.')
    expect(resultOfTurn(turn('1134341221434321', given))).toMatch(/^It has a number twice/)
    expect(resultOfTurn(turn('', given))).toBe('No answer could be read from the message.')
  })
})
