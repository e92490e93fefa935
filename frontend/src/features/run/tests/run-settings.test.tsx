import { cleanup, fireEvent, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { showFrames, storedAs } from '@/components/run/tests/show'
import { RunSettings } from '@/features/run/run-settings'
import type { RunDetail } from '@/graph/frames'

const method = {
  key: 'mashost',
  name: 'MasHost',
  config_schema: {
    properties: {
      max_steps: { type: 'integer', default: 10, description: 'Actions at most.' },
      edge_threshold: { type: 'number', default: 0.5 },
      greedy: { type: 'boolean', default: true },
      jpss: { type: 'string', default: 'relative' },
    },
  },
}

function show(part: Partial<RunDetail>): void {
  showFrames(storedAs('mashost', part), <RunSettings />, [
    [['methods'], [method]],
    [['checkpoint', 'best'], { run_config: { edge_threshold: 0.3, max_steps: 6 } }],
  ])
  fireEvent.click(screen.getByRole('button', { name: /^Settings/ }))
}

const told = () =>
  screen.getAllByRole('term').map((term) => `${term.textContent}: ${valueOf(term)}`)
const valueOf = (term: HTMLElement): string => term.nextSibling?.textContent ?? ''

describe('the settings of a run', () => {
  it('are told in words, those that somebody chose first, with what it was allowed to use', () => {
    show({
      method_config: { max_steps: 12, edge_threshold: 0.3, greedy: true, jpss: 'relative' },
      checkpoint: 'best',
      budget: {
        max_tokens: 60_000,
        max_seconds: 300,
        max_cost: null,
        max_completion_tokens_per_call: 512,
      },
    })
    expect(told()).toEqual([
      'Max steps: 12 changed',
      'Edge threshold: 0.3 as trained',
      'Greedy: yes',
      'JPSS: relative',
      'Tokens in all: 60,000',
      'Seconds: 300',
      'Cost in US dollars: no limit',
      'Tokens per reply: 512',
    ])
    expect(screen.getByText('1 changed')).toBeTruthy()
    expect(screen.getByText('Max steps').title).toBe('Actions at most.')
  })

  it('tell the model as it was asked then, and no extra fields where it had none', () => {
    const asked = {
      name: 'qwen',
      context_length: 4_096,
      parameters: 494_032_768,
      parameters_from: 'server' as const,
      is_small: true,
      reply_tokens: 512,
      extra_body: { top_p: 0.9, chat_template_kwargs: { enable_thinking: false } },
    }
    show({ method_config: {}, asked_model: asked })
    expect(told()).toContain(
      'Extra request fields: {"top_p":0.9,"chat_template_kwargs":{"enable_thinking":false}}',
    )
    cleanup()
    show({ method_config: {}, asked_model: { ...asked, extra_body: {} } })
    expect(told().join('\n')).toContain('Model: qwen')
    expect(screen.queryByText('Extra request fields')).toBeNull()
  })

  it('are the default where nobody chose any', () => {
    show({ method_config: { max_steps: 10, greedy: true }, checkpoint: null })
    expect(screen.getByText('all default')).toBeTruthy()
    expect(screen.queryByText('changed')).toBeNull()
  })
})
