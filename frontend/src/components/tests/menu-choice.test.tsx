import { fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { MenuChoice, type Choice } from '@/components/menu-choice'

const onChange = vi.fn<(keys: string[]) => void>()

function menu(count: number, chosen: string[] = []): void {
  const choices = Array.from({ length: count }, (_, place): Choice => {
    const agent = place % 2 === 0 ? 'coder' : 'tester'
    return { key: `m${place}`, label: `Entropy of the ${agent}, turn ${place}` }
  })
  onChange.mockClear()
  render(<MenuChoice label="Metrics" choices={choices} chosen={chosen} onChange={onChange} />)
  fireEvent.click(screen.getByRole('button', { name: /^Metrics/ }))
}

const offered = (): string[] =>
  screen.queryAllByRole('menuitemcheckbox').map((each) => each.textContent)

describe('a menu of several choices', () => {
  it('is searched by words in any order where there are many, and keeps what is chosen', () => {
    menu(40, ['m1', 'm2'])
    expect(offered()).toHaveLength(40)
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search' }), {
      target: { value: '17 tester' },
    })
    expect(offered()).toEqual(['Entropy of the tester, turn 17'])
    fireEvent.click(screen.getByRole('menuitemcheckbox'))
    expect(onChange.mock.calls).toEqual([[['m1', 'm2', 'm17']]])
  })

  it('says where nothing matches', () => {
    menu(40)
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'loss' } })
    expect(offered()).toEqual([])
    expect(screen.getByText('No matches')).toBeTruthy()
  })

  it('has no search field where there are few', () => {
    menu(5)
    expect(offered()).toHaveLength(5)
    expect(screen.queryByRole('searchbox')).toBeNull()
  })
})
