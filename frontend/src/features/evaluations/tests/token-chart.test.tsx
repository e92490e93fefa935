import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import { TokenChart } from '@/features/evaluations/token-chart'

const curve = (label: string) => ({
  label,
  points: [100, 1000].map((budget) => ({ label, budget, accuracy: 0.5, interval: [0.4, 0.6] })),
})

it.each([
  [2, 2, /^The area is the 95 % interval/],
  [3, 0, /^The table has the 95 % intervals.*at most 2 lines/],
])('of %i arms the areas of %i are drawn', (arms, areas, told) => {
  const curves = Array.from({ length: arms }, (_, arm) => curve(`arm ${arm}`))
  render(<TokenChart curves={curves} budgets={[100, 1000]} width={600} />)
  const chart = screen.getByRole('img', { name: new RegExp(`${arms} lines`) })
  expect(chart.querySelectorAll('path[opacity="0.09"]')).toHaveLength(areas)
  expect(screen.getByText(told)).toBeTruthy()
})
