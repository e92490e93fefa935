import type { Quantity } from '@/components/chart/chart-options'
import {
  formatCompact,
  formatCost,
  formatCount,
  formatMetric,
  formatPercent,
  formatSeconds,
  formatShare,
} from '@/lib/format'

const plain = { isShare: false, hasUnit: false }
const withUnit = { isShare: false, hasUnit: true }

/** How each figure of an agent is drawn and written. */
export const QUANTITIES = {
  runs: { key: 'runs', ...plain, isCount: true, format: formatCount, axisFormat: formatCompact },
  accuracy: {
    key: 'accuracy',
    isShare: true,
    hasUnit: false,
    format: formatShare,
    axisFormat: formatPercent,
  },
  tokens: { key: 'tokens', ...plain, format: formatCount, axisFormat: formatCompact },
  cost: { key: 'cost', ...withUnit, flat: 0.01, format: formatCost, axisFormat: formatCost },
  seconds: { key: 'seconds', ...withUnit, format: formatSeconds, axisFormat: formatSeconds },
  meanReward: { key: 'mean_reward', ...plain, format: formatMetric, axisFormat: formatMetric },
  reward: { key: 'reward', ...plain, format: formatMetric, axisFormat: formatMetric },
  meanCost: { key: 'mean_cost', ...plain, format: formatMetric, axisFormat: formatMetric },
} as const satisfies Record<string, Quantity>
