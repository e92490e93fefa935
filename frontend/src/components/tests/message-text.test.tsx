import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { MessageForm, MessageText } from '@/components/message-text'

const TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1\nNameError: **x**'

describe('a message', () => {
  it('is shown as it was sent on request, and from then on', async () => {
    const page = (
      <>
        <MessageForm />
        <MessageText text={TRACEBACK} />
      </>
    )
    render(page)
    expect((await screen.findByText('x')).tagName).toBe('STRONG')
    expect(document.querySelector('pre')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Raw', pressed: false }))
    expect(document.querySelector('pre')?.textContent).toBe(TRACEBACK)
    expect(localStorage.getItem('mas-studio-messages')).toBe('raw')
    cleanup()
    render(page)
    expect(document.querySelector('pre')?.textContent).toBe(TRACEBACK)
    fireEvent.click(screen.getByRole('button', { name: 'Rendered', pressed: false }))
    expect((await screen.findByText('x')).tagName).toBe('STRONG')
  })
})
