import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { describe, expect, it } from 'vitest'

import { SampleRun } from '@/app/home/home-page'
import { useTourSeen } from '@/features/run/tour/seen'
import { useTour } from '@/features/run/tour/use-tour'
import { commandStore } from '@/lib/commands'
import { show } from '@/lib/tests/show'

/** The regions of a run's page that the tour shows here. */
function Page({ begins }: Readonly<{ begins: boolean }>) {
  const { seen } = useTourSeen()
  const { tour, show } = useTour({ begins: begins && seen === false })
  const { search } = useLocation()
  return (
    <>
      <main id="main" tabIndex={-1}>
        <p data-tour="question">What is 1 + 1?</p>
        <button type="button" onClick={show}>
          Show
        </button>
        <output>{search}</output>
      </main>
      {tour}
    </>
  )
}

/** What has been seen is kept while these tests run: each of them has people of its own. */
const shown = (part: ReactNode, username: string, at = '/') =>
  show(part, { at, known: [[['me'], { username, permissions: { run: true } }]], isFresh: true })

const tour = (): Promise<HTMLElement> => screen.findByRole('dialog', { name: 'Tour of this page' })
const press = (key: string): void => {
  fireEvent.keyDown(document.activeElement ?? document.body, { key })
}
const address = (): string | null => document.querySelector('output')?.textContent ?? null

describe('the tour over a run', () => {
  it('is turned with the arrow keys, leaves out what is not there, and leaves the page as it was', async () => {
    shown(<Page begins />, 'ada', '/?tab=timeline&agent=a1')
    const card = await tour()
    expect(card.textContent).toContain('1 of 6')
    expect(screen.getByRole('button', { name: 'Next' })).toBe(document.activeElement)
    expect(screen.queryByRole('button', { name: 'Back' })).toBeNull()
    for (const title of ['The team', 'Why this agent?', 'Every message']) {
      press('ArrowRight')
      await screen.findByRole('heading', { name: title })
    }
    await waitFor(() => expect(address()).toBe('?tab=trace'))
    press('ArrowLeft')
    await screen.findByRole('heading', { name: 'Why this agent?' })
    await waitFor(() => expect(address()).toBe(''))
    press('Escape')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(address()).toBe('?tab=timeline&agent=a1'))
  })

  it('opens by itself once for each person, and whenever it is asked for', async () => {
    const { unmount } = shown(<Page begins />, 'eve')
    await tour()
    fireEvent.click(screen.getByRole('button', { name: 'Skip the tour' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    unmount()

    shown(<Page begins />, 'eve')
    expect(screen.queryByRole('dialog')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Show' }))
    await tour()
    cleanup()
    shown(<Page begins />, 'ben')
    await tour()
    cleanup()
    shown(<Page begins={false} />, 'cid')
    expect(screen.queryByRole('dialog')).toBeNull()
    const commands = commandStore.getState().groups.flat()
    expect(commands.map(({ label }) => label)).toEqual(['Show the tour of this page'])
  })
})

it('is offered at home to who has not been shown around, and hidden by who wants nothing of it', () => {
  const { container } = shown(<SampleRun />, 'dan')
  const link = screen.getByRole('link', { name: 'Look at a sample run' })
  expect(link.getAttribute('href')).toBe('/sample')
  fireEvent.click(screen.getByRole('button', { name: 'Hide the sample run' }))
  expect(container.textContent).toBe('')
  cleanup()
  expect(shown(<SampleRun />, 'dan').container.textContent).toBe('')
  cleanup()
  shown(<SampleRun />, 'fay')
  expect(screen.getByRole('link', { name: 'Look at a sample run' })).toBeTruthy()
})
