import type { Quantity } from '@/components/chart/chart-options'
import { LineChart, type LineChartProps } from '@/components/chart/line-chart'
import { formatCompact } from '@/lib/format'

import { axisFormat, hasUnit, isShare, metricFormat, metricName } from './metric-name'
import { text } from '@/strings/training'

type Given = 'label' | 'help' | 'quantity' | 'stepName' | 'stepFormat' | 'sync'

interface Props extends Omit<LineChartProps, Given> {
  metric: string
}

/** One metric of all trainings over their steps; a click or Enter opens the systems of a step. */
export const MetricChart = ({ metric, ...rest }: Readonly<Props>) => (
  <LineChart
    label={text.curve.label(metricName(metric))}
    help={text.curve.keys}
    quantity={quantityOf(metric)}
    stepName={(step) => text.curve.at(String(step))}
    stepFormat={formatCompact}
    sync="training"
    {...rest}
  />
)

const quantityOf = (metric: string): Quantity => ({
  key: metric,
  isShare: isShare(metric),
  ...(metric.startsWith('cost') ? { flat: 0.01 } : {}),
  hasUnit: hasUnit(metric),
  format: metricFormat(metric),
  axisFormat: axisFormat(metric),
})
