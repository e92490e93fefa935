import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { Link } from 'react-router'

import { Badge, type Tone } from '@/components/badge'
import { Button } from '@/components/button'
import { ErrorPanel } from '@/components/error-panel'
import { Working } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatAgo, formatDateTime } from '@/lib/format'
import { useLinked } from '@/lib/use-linked'
import { useNow } from '@/lib/use-now'

import { deliveriesQuery, useResend, type Delivery, type Webhook } from './use-webhooks'
import { webhookStrings as text } from '@/strings/webhooks'

const tones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'accent',
  delivered: 'good',
  failed: 'bad',
}

interface Props {
  webhook: Webhook
  canResend: boolean
}

/** The newest first. */
export function Deliveries({ webhook, canResend }: Readonly<Props>) {
  const found = useQuery(deliveriesQuery(webhook))
  if (found.isPending) return <Working />
  if (found.isError) {
    return <ErrorPanel problem={toApiError(found.error)} onRetry={() => void found.refetch()} />
  }
  if (found.data.length === 0) return <p className="text-sm text-ink-3">{text.noDeliveries}</p>
  return (
    <ul aria-label={text.deliveries} className="flex max-h-96 flex-col gap-2 overflow-auto">
      {found.data.map((delivery) => (
        <Row key={delivery.id} webhook={webhook} canResend={canResend} delivery={delivery} />
      ))}
    </ul>
  )
}

function Row({ webhook, canResend, delivery }: Readonly<Props & { delivery: Delivery }>) {
  const now = useNow()
  const resend = useResend(webhook, delivery)
  const row = useLinked<HTMLLIElement>(delivery.id)
  const { job, failure } = delivery
  const event = text.events[delivery.event] ?? delivery.event
  const isOver = delivery.status !== 'pending' || failure !== null
  return (
    <li
      ref={row}
      tabIndex={-1}
      className="grid scroll-mt-16 grid-cols-[6rem_1fr_auto] items-start gap-x-2 text-sm"
    >
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
          {event} ·{' '}
          <Link to={`?deliveries=${webhook.id}#${delivery.id}`} replace className="hover:underline">
            <time dateTime={delivery.created_at} title={formatDateTime(delivery.created_at)}>
              {formatAgo(delivery.created_at, now)}
            </time>
          </Link>
          {delivery.tries > 0 ? ` · ${text.tries(delivery.tries)}` : ''}
          {delivery.http_status === null ? '' : ` · ${delivery.http_status}`}
          {failure && delivery.next_try_at
            ? ` · ${text.next} ${formatDateTime(delivery.next_try_at)}`
            : ''}
        </p>
        {failure ? <p className="text-xs break-words text-bad">{failure.message}</p> : null}
        {resend.isError ? <ErrorPanel problem={toApiError(resend.error)} /> : null}
      </div>
      {canResend && job && isOver ? (
        <Button
          variant="quiet"
          size="sm"
          aria-label={text.resendOf(event, job.name)}
          isPending={resend.isPending}
          onPress={() => resend.mutate()}
          icon={<RefreshCw size={14} aria-hidden />}
        />
      ) : null}
    </li>
  )
}
