import { act, fireEvent, render } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { DelayedSearch } from '@/components/delayed-search'

const asked: string[] = []

beforeEach(() => {
  asked.length = 0
  vi.useFakeTimers()
})
/** As a list does: what is asked for comes back as the value, and everything renders again. */
function List() {
  const [value, setValue] = useState('')
  const ask = (text: string): void => {
    asked.push(text)
    setValue(text)
  }
  return (
    <>
      <DelayedSearch label="Search" value={value} onChange={ask} />
      <button type="button" onClick={() => setValue('elsewhere')}>
        A link
      </button>
    </>
  )
}

function rendered() {
  const page = render(<List />)
  const box = page.getByRole('searchbox')
  return {
    ...page,
    box,
    text: () => box.getAttribute('value'),
    type: (value: string) => fireEvent.change(box, { target: { value } }),
    rest: () => {
      act(() => {
        vi.advanceTimersByTime(5_000)
      })
    },
  }
}

describe('a search that waits for the typing to rest', () => {
  it('asks once for a text that ends in a space, and keeps the space', () => {
    const { type, rest, text } = rendered()
    type('unit ')
    rest()
    expect(asked).toEqual(['unit'])
    expect(text()).toBe('unit ')
    type('unit tests')
    rest()
    expect(asked).toEqual(['unit', 'unit tests'])
  })

  it('asks for nothing where only spaces were typed', () => {
    const { type, rest } = rendered()
    type('   ')
    rest()
    expect(asked).toEqual([])
  })

  it('asks at once when somebody leaves it', () => {
    const { type, box, rest } = rendered()
    type('unit')
    fireEvent.blur(box)
    expect(asked).toEqual(['unit'])
    rest()
    expect(asked).toEqual(['unit'])
  })

  it('shows what the address says, and asks again for what was typed before', () => {
    const { type, rest, text, getByText } = rendered()
    type('unit')
    rest()
    fireEvent.click(getByText('A link'))
    expect(text()).toBe('elsewhere')
    rest()
    type('unit')
    rest()
    expect(asked).toEqual(['unit', 'unit'])
  })
})
