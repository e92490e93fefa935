import { act, renderHook } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'

import { useWritten } from '@/lib/use-written'

beforeEach(() => sessionStorage.clear())

const write = (key: string, text: string | null): void => {
  const { result } = renderHook(() => useWritten(key, 'as it was'))
  act(() => result.current[1](text))
}
const shown = (key: string): string =>
  renderHook(() => useWritten(key, 'as it was')).result.current[0]

describe('a text that is being written', () => {
  it('is there again after its field was gone, under its own key alone', () => {
    write('a', 'half a sent')
    expect([shown('a'), shown('b')]).toEqual(['half a sent', 'as it was'])
    expect(sessionStorage.getItem('mas-studio-written')).toContain('half a sent')
  })

  it('is forgotten when it was sent, or is what stood there at first', () => {
    write('a', 'half a sent')
    write('a', null)
    write('b', 'other')
    write('b', 'as it was')
    expect([shown('a'), shown('b')]).toEqual(['as it was', 'as it was'])
    expect(sessionStorage.getItem('mas-studio-written')).not.toContain('half')
  })

  it('makes room for the newest', () => {
    for (let number = 0; number < 60; number += 1) write(`text ${number}`, 'words')
    expect([shown('text 9'), shown('text 10'), shown('text 59')]).toEqual([
      'as it was',
      'words',
      'words',
    ])
  })
})
