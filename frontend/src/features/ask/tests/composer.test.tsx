import { cleanup, fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'

import { Composer } from '@/features/ask/composer'
import { useDraft } from '@/features/ask/draft-store'
import { queries } from '@/lib/api/queries'
import { method } from '@/lib/tests/method'
import { show } from '@/lib/tests/show'

const SCRIPT = '# Three solvers vote.\ndeliver(vote)\n'
const designs = method('designs', {
  is_default: true,
  config_schema: {
    properties: {
      script: { type: 'string', format: 'code', default: '', examples: [SCRIPT] },
      designer: { type: 'string', format: 'endpoint', writes: 'script' },
    },
  },
})
const small = { key: 'embedded', name: 'Embedded model', is_default: true, is_small: true }

beforeEach(() => useDraft.setState(useDraft.getInitialState()))
it('gives a small model’s team the sample script, shows it, and can take it back', () => {
  show(<Composer />, {
    known: [
      [queries.me.queryKey, { permissions: { run: true } }],
      [queries.methods.queryKey, [designs]],
      [queries.endpoints.queryKey, [{ ...small, is_enabled: true }]],
      [queries.pools.queryKey, []],
    ],
    isFresh: true,
  })
  expect(screen.getByText(/“Embedded model” may be too small to write/)).toBeTruthy()
  const options = screen.getByRole('button', { name: /^Options/ })
  expect(options.getAttribute('aria-expanded')).toBe('false')

  fireEvent.click(screen.getByRole('button', { name: 'Use the sample script' }))
  expect(useDraft.getState().config).toEqual({ designs: { script: SCRIPT } })
  expect(screen.queryByText(/too small/)).toBeNull()
  expect(options.getAttribute('aria-expanded')).toBe('true')
  expect(document.activeElement).toBe(options)

  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Script' })
  expect(field.value).toBe(SCRIPT)
  fireEvent.change(field, { target: { value: '' } })
  expect(screen.getByText(/too small/)).toBeTruthy()
})

it('says that a small model goes in circles where a method cuts its replies short', () => {
  const stages = method('stages', { is_default: true, name: 'Stages', small_reply_tokens: 256 })
  const ask = (isSmall: boolean) =>
    show(<Composer />, {
      known: [
        [queries.me.queryKey, { permissions: { run: true } }],
        [queries.methods.queryKey, [stages]],
        [queries.endpoints.queryKey, [{ ...small, is_small: isSmall, is_enabled: true }]],
        [queries.pools.queryKey, []],
      ],
      isFresh: true,
    })
  ask(true)
  expect(screen.getByText('The model of “Embedded model” is small for Stages')).toBeTruthy()
  expect(screen.getByText(/cut at 256 tokens/)).toBeTruthy()
  cleanup()
  ask(false)
  expect(screen.queryByText(/is small for/)).toBeNull()
})
