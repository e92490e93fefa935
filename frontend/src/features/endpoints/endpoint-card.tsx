import { CircleCheck, History, IdCard, Pencil, PlugZap, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Badge } from '@/components/badge'
import { Button, IconButton } from '@/components/button'
import { ButtonLink } from '@/components/button-link'
import { cx } from '@/components/cx'
import { ErrorPanel } from '@/components/error-panel'
import { Refusal } from '@/components/query-state'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { queries, type Endpoint } from '@/lib/api/queries'
import { useChange } from '@/lib/api/use-change'
import { formatCost, formatCount, formatSeconds } from '@/lib/format'
import { sizeText } from '@/lib/model-size'
import { useLinked } from '@/lib/use-linked'
import { strings } from '@/strings/studio'

import { shownFields } from './endpoint-draft'
import { pathOf } from './use-endpoints'

interface Props {
  endpoint: Endpoint
  curate: boolean
  onEdit: () => void
  onDelete: () => void
  onHistory: () => void
}

const text = strings.endpoints

export function EndpointCard(props: Readonly<Props>) {
  const { endpoint, curate, onEdit, onDelete, onHistory } = props
  // The server may have told how large its model is.
  const test = useChange(
    () => unwrap(api.POST('/api/endpoints/{key}/test', pathOf(endpoint))),
    [queries.endpoints.queryKey],
  )
  const extra = shownFields(endpoint.extra_body ?? {})
  const card = useLinked<HTMLElement>(endpoint.key)
  return (
    <article
      ref={card}
      tabIndex={-1}
      aria-label={endpoint.name || endpoint.key}
      className="scroll-mt-16 rounded-lg border border-line bg-surface-1"
    >
      <header className="flex items-start justify-between gap-3 px-4 pt-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="text-base font-semibold">
              <Link to={`#${endpoint.key}`} replace className="hover:underline">
                {endpoint.name || endpoint.key}
              </Link>
            </h2>
            {endpoint.is_default ? <Badge tone="accent">{strings.common.default}</Badge> : null}
            {endpoint.enabled === false ? (
              <Badge tone="warn">{strings.common.disabled}</Badge>
            ) : null}
          </div>
          <p className="font-mono text-xs break-all text-ink-2">{endpoint.base_url}</p>
        </div>
        {curate ? (
          <div className="-mr-1.5 flex">
            <IconButton
              label={text.history.title(endpoint.name)}
              onPress={onHistory}
              icon={History}
            />
            <IconButton label={text.editTitle(endpoint.name)} onPress={onEdit} icon={Pencil} />
            <IconButton label={text.deleteTitle(endpoint.name)} onPress={onDelete} icon={Trash2} />
          </div>
        ) : null}
      </header>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 px-4 py-3 sm:grid-cols-[2fr_1.2fr_1.2fr_1fr]">
        <Fact label={text.fields.model}>{endpoint.model}</Fact>
        <Fact label={text.fields.context_length}>
          {formatCount(endpoint.context_length)} {text.units.tokens}
        </Fact>
        <Fact label={text.size.label} title={text.size.help}>
          {sizeText(endpoint)}
          {curate && endpoint.parameters_from === 'name' ? <Confirm endpoint={endpoint} /> : null}
        </Fact>
        <Fact label={text.price} title={text.priceHelp}>
          {formatCost(endpoint.prompt_price)} / {formatCost(endpoint.completion_price)}
        </Fact>
        <Fact label={text.fields.max_concurrency} title={text.help.max_concurrency}>
          {formatCount(endpoint.max_concurrency)}
        </Fact>
        {extra ? (
          <Fact label={text.fields.extra_body} title={extra} isWide>
            {Object.keys(endpoint.extra_body ?? {}).join(', ')}
          </Fact>
        ) : null}
      </dl>
      <footer className="flex flex-col items-start gap-3 border-t border-line px-4 py-3">
        <div className="flex flex-wrap gap-2">
          {curate ? (
            <Button
              size="sm"
              isPending={test.isPending}
              onPress={() => test.mutate()}
              icon={PlugZap}
            >
              {test.isPending ? text.testing : text.test}
            </Button>
          ) : null}
          <ButtonLink
            to={`/agents?endpoint=${endpoint.key}`}
            aria-label={text.agentsOf(endpoint.name || endpoint.key)}
            size="sm"
            variant="quiet"
            icon={IdCard}
          >
            {text.agents}
          </ButtonLink>
        </div>
        <div role="status" className="w-full empty:hidden">
          <Refusal of={test} />
          {test.data ? <Outcome endpoint={endpoint} result={test.data} /> : null}
        </div>
      </footer>
    </article>
  )
}

/** A size that the name suggests becomes one that a person has said. */
function Confirm({ endpoint }: Readonly<{ endpoint: Endpoint }>) {
  const { parameters } = endpoint
  const confirm = useChange(
    () => unwrap(api.PATCH('/api/endpoints/{key}', { ...pathOf(endpoint), body: { parameters } })),
    [queries.endpoints.queryKey],
  )
  return (
    <Button
      size="sm"
      variant="quiet"
      aria-label={text.size.confirmLabel(endpoint.name || endpoint.key)}
      isPending={confirm.isPending}
      onPress={() => confirm.mutate()}
    >
      {text.size.confirm}
    </Button>
  )
}

interface FactProps {
  label: string
  title?: string
  children: ReactNode
  isWide?: boolean
}

function Fact({ label, title, isWide = false, children }: Readonly<FactProps>) {
  return (
    <div className={cx('min-w-0', isWide && 'col-span-2 sm:col-span-3')} title={title}>
      <dt className="text-xs text-ink-3">{label}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  )
}

interface OutcomeProps {
  endpoint: Endpoint
  result: components['schemas']['Probe']
}

function Outcome({ endpoint, result }: Readonly<OutcomeProps>) {
  if (result.failure) return <ErrorPanel problem={result.failure} />
  return (
    <div className="flex items-start gap-3 rounded-lg border border-good/40 bg-good-soft px-4 py-3">
      <CircleCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-good" />
      <div className="min-w-0">
        <p className="font-medium">{text.ok(formatSeconds(result.seconds))}</p>
        <p className="text-ink-2">{result.models.length === 0 ? text.noModels : text.models}</p>
        <ul className="mt-1 max-h-48 overflow-auto font-mono text-xs">
          {result.models.map((model) => (
            <li key={model} className={model === endpoint.model ? 'font-semibold' : ''}>
              {model}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
