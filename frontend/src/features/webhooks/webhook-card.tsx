import { CircleCheck, Pencil, RefreshCw, Send, Trash2 } from 'lucide-react'
import { Link } from 'react-router'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Disclosure } from '@/components/disclosure'
import { ErrorPanel } from '@/components/error-panel'
import { toApiError } from '@/lib/api/errors'
import { formatAgo, formatDateTime } from '@/lib/format'
import { useLinked } from '@/lib/use-linked'
import { useNow } from '@/lib/use-now'
import { useParam } from '@/lib/use-param'

import { Deliveries } from './deliveries'
import { useWebhookTest, useWebhookUpdate, type Webhook } from './use-webhooks'
import { webhookStrings as text } from '@/strings/webhooks'

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
            <Button
              variant="quiet"
              size="sm"
              aria-label={text.editTitle(webhook.name)}
              onPress={onEdit}
              icon={<Pencil size={14} aria-hidden />}
            />
            <Button
              variant="quiet"
              size="sm"
              aria-label={text.deleteTitle(webhook.name)}
              onPress={onDelete}
              icon={<Trash2 size={14} aria-hidden />}
            />
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
            <Button
              size="sm"
              isPending={test.isPending}
              onPress={() => test.mutate()}
              icon={<Send size={14} aria-hidden />}
            >
              {test.isPending ? text.testing : text.test}
            </Button>
            <Button
              size="sm"
              isPending={change.isPending}
              onPress={() => change.mutate({ is_active: !webhook.is_active })}
            >
              {webhook.is_active ? text.switchOff : text.switchOn}
            </Button>
            <Button size="sm" onPress={onRotate} icon={<RefreshCw size={14} aria-hidden />}>
              {text.rotate}
            </Button>
          </div>
        ) : null}
        <div role="status" className="empty:hidden">
          {test.isError ? <ErrorPanel problem={toApiError(test.error)} /> : null}
          {change.isError ? <ErrorPanel problem={toApiError(change.error)} /> : null}
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
  const now = useNow()
  return (
    <p className="text-sm text-ink-2">
      {text.last}:{' '}
      {last ? (
        <>
          <span className={last.failure ? 'text-bad' : ''}>
            {last.failure ? text.lastFailed : text.lastTaken(last.http_status)}
          </span>{' '}
          <time dateTime={last.at} title={formatDateTime(last.at)}>
            {formatAgo(last.at, now)}
          </time>
        </>
      ) : (
        text.never
      )}
    </p>
  )
}
