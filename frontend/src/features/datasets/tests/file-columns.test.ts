import { describe, expect, it } from 'vitest'

import { columnsOf } from '@/features/datasets/file-columns'

describe('the columns of a file', () => {
  it('are the header of a CSV, quotes and byte order mark read', () => {
    expect(columnsOf('a.csv', '\uFEFFquestion,"the ""right"" one, or not", answer\n1,2,3')).toEqual(
      ['question', 'the "right" one, or not', 'answer'],
    )
  })

  it.each([
    ['semicolons', 'question;"a; b";answer\n1,5;2;3'],
    ['tabs', 'question\ta; b\tanswer\n'],
    ['bars', 'question|a; b|answer'],
    ['what the first line says', '\uFEFFsep=|\r\nquestion|a; b|answer\r\n'],
    ['spaces and empty ones at the end', ' question ;"a; b"; answer ;;\n'],
  ])('are separated by %s', (_, start) => {
    expect(columnsOf('a.csv', start)).toEqual(['question', 'a; b', 'answer'])
  })

  it('are the keys of the first JSON line', () => {
    expect(columnsOf('A.JSONL', '{"q": 1, "a": "x"}\n{"other": 1}')).toEqual(['q', 'a'])
  })

  it('are unknown for Parquet, for a broken line and for something else', () => {
    expect(columnsOf('a.parquet', 'PAR1')).toBeNull()
    expect(columnsOf('a.jsonl', '{"q": 1, "a"')).toBeNull()
    expect(columnsOf('a.jsonl', '[1, 2]')).toBeNull()
    expect(columnsOf('a.csv', '\n')).toBeNull()
  })
})
