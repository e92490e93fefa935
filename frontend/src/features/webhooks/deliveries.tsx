import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Badge, type Tone } from '@/components/badge'
import { ErrorPanel } from '@/components/error-panel'
import { Working } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatAgo, formatDateTime } from '@/lib/format'
import { useNow } from '@/lib/use-now'

import { deliveriesQuery, type Delivery, type Webhook } from './use-webhooks'
import { webhookStrings as text } from './webhook-strings'

const tones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'accent',
  delivered: 'good',
  failed: 'bad',
}

/** The newest first. */
export function Deliveries({ webhook }: Readonly<{ webhook: Webhook }>) {
  const found = useQuery(deliveriesQuery(webhook))
  if (found.isPending) return <Working />
  if (found.isError) {
    return <ErrorPanel problem={toApiError(found.error)} onRetry={() => void found.refetch()} />
  }
  if (found.data.length === 0) return <p className="text-sm text-ink-3">{text.noDeliveries}</p>
  return (
    <ul aria-label={text.deliveries} className="flex max-h-96 flex-col gap-2 overflow-auto">
      {found.data.map((delivery) => (
        <Row key={delivery.id} delivery={delivery} />
      ))}
    </ul>
  )
}

function Row({ delivery }: Readonly<{ delivery: Delivery }>) {
  const now = useNow()
  const { job, failure } = delivery
  return (
    <li className="grid grid-cols-[6rem_1fr] items-start gap-x-2 text-sm">
      <Badge tone={tones[delivery.status]}>{text.statuses[delivery.status]}</Badge>
      <div className="min-w-0">
        <p className="break-words">
          {job ? (
            <Link to={job.path} className="text-accent hover:underline">
              {job.name}
            </Link>
          ) : (
            text.aTest
          )}
        </p>
        <p className="text-xs text-ink-3">
          {text.events[delivery.event] ?? delivery.event} ·{' '}
          <time dateTime={delivery.created_at} title={formatDateTime(delivery.created_at)}>
            {formatAgo(delivery.created_at, now)}
          </time>
          {delivery.tries > 0 ? ` · ${text.tries(delivery.tries)}` : ''}
          {delivery.http_status === null ? '' : ` · ${delivery.http_status}`}
          {failure && delivery.next_try_at
            ? ` · ${text.next} ${formatDateTime(delivery.next_try_at)}`
            : ''}
        </p>
        {failure ? <p className="text-xs break-words text-bad">{failure.message}</p> : null}
      </div>
    </li>
  )
}
