import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { useChange } from '@/lib/api/use-change'

export type Webhook = components['schemas']['Webhook']
export type Delivery = components['schemas']['Delivery']
export type WebhookChange = Partial<components['schemas']['WebhookWantedRequest']>

const pathOf = (webhook: Webhook) => ({ params: { path: { webhook_id: webhook.id } } })

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => unwrap(api.GET('/api/webhooks')),
})

export const deliveriesQuery = (webhook: Webhook) =>
  queryOptions({
    queryKey: ['webhooks', webhook.id, 'deliveries'],
    queryFn: () => unwrap(api.GET('/api/webhooks/{webhook_id}/deliveries', pathOf(webhook))),
    refetchInterval: 10_000,
  })

export const useWebhookCreate = () =>
  useChange(
    (body: components['schemas']['WebhookWantedRequest']) =>
      unwrap(api.POST('/api/webhooks', { body })),
    [webhooksQuery.queryKey],
  )

export const useWebhookUpdate = (webhook: Webhook, onDone?: () => void) =>
  useChange(
    (body: WebhookChange) =>
      unwrap(api.PATCH('/api/webhooks/{webhook_id}', { ...pathOf(webhook), body })),
    [webhooksQuery.queryKey],
    onDone,
  )

/** Its outcome is a delivery, and the webhook's last message, whatever came of it. */
export function useWebhookTest(webhook: Webhook) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/webhooks/{webhook_id}/test', pathOf(webhook))),
    onSettled: () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
}

export function useResend(webhook: Webhook, delivery: Delivery) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/webhooks/{webhook_id}/deliveries/{delivery_id}/resend', {
          params: { path: { webhook_id: webhook.id, delivery_id: delivery.id } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: deliveriesQuery(webhook).queryKey }),
  })
}

export const useWebhookRotate = (webhook: Webhook) =>
  useChange(
    () => unwrap(api.POST('/api/webhooks/{webhook_id}/rotate', pathOf(webhook))),
    [webhooksQuery.queryKey],
  )

export const useWebhookDelete = (webhook: Webhook, onDone: () => void) =>
  useChange(
    () => api.DELETE('/api/webhooks/{webhook_id}', pathOf(webhook)),
    [webhooksQuery.queryKey],
    onDone,
  )
