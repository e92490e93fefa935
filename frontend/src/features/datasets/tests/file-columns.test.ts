import { describe, expect, it } from 'vitest'

import { columnsOf } from '@/features/datasets/file-columns'

describe('the columns of a file', () => {
  it('are the header of a CSV, quotes and byte order mark read', () => {
    expect(columnsOf('a.csv', '\uFEFFquestion,"the ""right"" one, or not", answer\n1,2,3')).toEqual(
      ['question', 'the "right" one, or not', 'answer'],
    )
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
