import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { SubtaskList } from '@/features/datasets/subtask-list'
import { taskGraphOf, withoutTaskGraph } from '@/features/datasets/task-graph'

const subtask = (id: string, depends_on: string[], reference: string | null = '7') => ({
  id,
  text: `Text of ${id}`,
  depends_on,
  reference,
})
const subtasks = [
  subtask('p1', []),
  subtask('p2', ['p1']),
  subtask('p3', ['p1', 'p2'], null),
  subtask('final', ['p1', 'p2', 'p3'], '343'),
]
const metadata = { task_graph: { subtasks }, tolerance: 1 }

describe('the graph in a task’s metadata', () => {
  it('is read where it is one, and taken out of the rest', () => {
    expect(taskGraphOf(metadata)).toEqual({ subtasks })
    expect(withoutTaskGraph(metadata)).toEqual({ tolerance: 1 })
  })

  it.each([
    {},
    { task_graph: null },
    { task_graph: { subtasks: [] } },
    { task_graph: { subtasks: ['p1'] } },
    { task_graph: { subtasks: [{ ...subtask('p1', []), depends_on: [1] }] } },
    { task_graph: { subtasks: [{ ...subtask('p1', []), reference: 7 }] } },
  ])('%o is none', (other) => expect(taskGraphOf(other)).toBeNull())

  it('is listed with who needs whom, and the right answers', () => {
    render(<SubtaskList graph={{ subtasks }} />)
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Problem 1needs no other answerAnswer: 7Text of p1',
      'Problem 2needs 1Answer: 7Text of p2',
      'Problem 3needs 1, 2Answer: —Text of p3',
      'Final answerneeds all answersAnswer: 343Text of final',
    ])
  })
})
