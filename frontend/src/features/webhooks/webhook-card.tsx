import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Pencil, RefreshCw, Send, Trash2 } from 'lucide-react'
import { Link } from 'react-router'

import { Ago } from '@/components/ago'
import { Badge, type Tone } from '@/components/badge'
import { Button, IconButton } from '@/components/button'
import { Disclosure } from '@/components/disclosure'
import { ErrorPanel } from '@/components/error-panel'
import { QueryError, Refusal } from '@/components/query-state'
import { Working } from '@/components/working'
import { formatDateTime } from '@/lib/format'
import { useLinked } from '@/lib/use-linked'
import { useParam } from '@/lib/use-param'
import { webhookStrings as text } from '@/strings/webhooks'

import {
  deliveriesQuery,
  useResend,
  useWebhookTest,
  useWebhookUpdate,
  type Delivery,
  type Webhook,
} from './use-webhooks'

interface Props {
  webhook: Webhook
  /** Whether the account may still change what it once made. */
  canChange: boolean
  onEdit: () => void
  onRotate: () => void
  onDelete: () => void
}

export function WebhookCard({ webhook, canChange, onEdit, onRotate, onDelete }: Readonly<Props>) {
  const [shown, setShown] = useParam('deliveries')
  const open = shown === webhook.id
  const test = useWebhookTest(webhook)
  const change = useWebhookUpdate(webhook)
  const card = useLinked<HTMLElement>(webhook.id)
  return (
    <article
      ref={card}
      tabIndex={-1}
      aria-label={webhook.name}
      className="scroll-mt-16 rounded-lg border border-line bg-surface-1"
    >
      <header className="flex items-start justify-between gap-3 px-4 pt-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="text-base font-semibold break-words">
              <Link to={`#${webhook.id}`} replace className="hover:underline">
                {webhook.name}
              </Link>
            </h2>
            <Badge tone={webhook.is_active ? 'good' : 'warn'}>
              {webhook.is_active ? text.on : text.off}
            </Badge>
          </div>
          <p className="font-mono text-xs break-all text-ink-2">{webhook.url}</p>
        </div>
        {canChange ? (
          <div className="-mr-1.5 flex">
            <IconButton label={text.editTitle(webhook.name)} onPress={onEdit} icon={Pencil} />
            <IconButton label={text.deleteTitle(webhook.name)} onPress={onDelete} icon={Trash2} />
          </div>
        ) : null}
      </header>
      <div className="flex flex-col gap-3 px-4 pt-2 pb-3">
        <LastMessage webhook={webhook} />
        {webhook.old_secret_until ? (
          <p className="text-sm text-ink-2">
            {text.oldSecret}{' '}
            <time dateTime={webhook.old_secret_until}>
              {formatDateTime(webhook.old_secret_until)}
            </time>
            .
          </p>
        ) : null}
        {webhook.switched_off ? <ErrorPanel problem={webhook.switched_off} /> : null}
        {canChange ? (
          <div className="flex flex-wrap gap-2">
            <Button size="sm" isPending={test.isPending} onPress={() => test.mutate()} icon={Send}>
              {test.isPending ? text.testing : text.test}
            </Button>
            <Button
              size="sm"
              isPending={change.isPending}
              onPress={() => change.mutate({ is_active: !webhook.is_active })}
            >
              {webhook.is_active ? text.switchOff : text.switchOn}
            </Button>
            <Button size="sm" onPress={onRotate} icon={RefreshCw}>
              {text.rotate}
            </Button>
          </div>
        ) : null}
        <div role="status" className="empty:hidden">
          <Refusal of={test} />
          <Refusal of={change} />
          {test.data?.failure ? <ErrorPanel problem={test.data.failure} /> : null}
          {test.data?.ok ? (
            <p className="flex items-start gap-2 rounded-lg border border-good/40 bg-good-soft px-3 py-2 text-sm">
              <CircleCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-good" />
              {text.taken(test.data.http_status, test.data.milliseconds)}
            </p>
          ) : null}
        </div>
        <Disclosure
          title={text.deliveries}
          defaultOpen={open}
          onOpenChange={(isOpen) => setShown(isOpen ? webhook.id : null)}
          className="-mb-2"
        >
          {open ? (
            <Deliveries webhook={webhook} canResend={canChange && webhook.is_active} />
          ) : null}
        </Disclosure>
      </div>
    </article>
  )
}

function LastMessage({ webhook: { last } }: Readonly<{ webhook: Webhook }>) {
  return (
    <p className="text-sm text-ink-2">
      {text.last}:{' '}
      {last ? (
        <>
          <span className={last.failure ? 'text-bad' : ''}>
            {last.failure ? text.lastFailed : text.lastTaken(last.http_status)}
          </span>{' '}
          <Ago at={last.at} />
        </>
      ) : (
        text.never
      )}
    </p>
  )
}

const tones: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'accent',
  delivered: 'good',
  failed: 'bad',
}

interface DeliveriesProps {
  webhook: Webhook
  canResend: boolean
}

/** The newest first. */
function Deliveries({ webhook, canResend }: Readonly<DeliveriesProps>) {
  const found = useQuery(deliveriesQuery(webhook))
  if (found.isPending) return <Working />
  if (found.isError) {
    return <QueryError of={found} />
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

function Row({ webhook, canResend, delivery }: Readonly<DeliveriesProps & { delivery: Delivery }>) {
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
            <Ago at={delivery.created_at} />
          </Link>
          {delivery.tries > 0 ? ` · ${text.tries(delivery.tries)}` : ''}
          {delivery.http_status === null ? '' : ` · ${delivery.http_status}`}
          {failure && delivery.next_try_at
            ? ` · ${text.next} ${formatDateTime(delivery.next_try_at)}`
            : ''}
        </p>
        {failure ? <p className="text-xs break-words text-bad">{failure.message}</p> : null}
        <Refusal of={resend} />
      </div>
      {canResend && job && isOver ? (
        <IconButton
          label={text.resendOf(event, job.name)}
          isPending={resend.isPending}
          onPress={() => resend.mutate()}
          icon={RefreshCw}
        />
      ) : null}
    </li>
  )
}
