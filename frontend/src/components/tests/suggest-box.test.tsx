import { act, fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { SuggestBox } from '@/components/suggest-box'

const onChange = vi.fn<(text: string) => void>()

function box(suggestions: readonly string[], value = '') {
  return (
    <SuggestBox
      label="Label"
      all="All labels"
      none="No such label"
      suggestions={suggestions}
      value={value}
      onChange={onChange}
      maxLength={60}
    />
  )
}

function type(text: string): HTMLElement {
  const field = screen.getByRole('combobox', { name: 'Label' })
  act(() => field.focus())
  fireEvent.change(field, { target: { value: text } })
  return field
}

const offered = (): string[] => screen.queryAllByRole('option').map((each) => each.textContent)

describe('a box that suggests', () => {
  it('narrows what it offers, and tells what was chosen', () => {
    onChange.mockClear()
    render(box(['wrong unit', 'odd', 'right unit']))
    type('UNIT')
    expect(offered()).toEqual(['wrong unit', 'right unit'])
    expect(onChange).not.toHaveBeenCalled()
    fireEvent.click(screen.getByRole('option', { name: 'right unit' }))
    expect(onChange.mock.calls).toEqual([['right unit']])
  })

  it('offers what comes while somebody types', () => {
    const { rerender } = render(box([]))
    type('unit')
    expect(offered()).toEqual(['No such label'])
    rerender(box(['wrong unit', 'odd']))
    expect(offered()).toEqual(['wrong unit'])
  })

  it('takes anything with Enter, without the spaces around it, and once', () => {
    onChange.mockClear()
    const { rerender } = render(box(['odd']))
    const field = type(' quite new ')
    fireEvent.keyDown(field, { key: 'Enter' })
    rerender(box(['odd'], 'quite new'))
    act(() => field.blur())
    expect(onChange.mock.calls).toEqual([['quite new']])
  })

  it('takes an emptied text, too', () => {
    onChange.mockClear()
    render(box(['odd'], 'odd'))
    const field = type('')
    act(() => field.blur())
    expect(onChange.mock.calls).toEqual([['']])
  })
})
