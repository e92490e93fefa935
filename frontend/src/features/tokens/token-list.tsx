import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { formatAgo, formatDateTime } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

import type { Token } from './tokens-query'

interface Props {
  tokens: readonly Token[]
  onRevoke: (token: Token) => void
}

export function TokenList({ tokens, onRevoke }: Readonly<Props>) {
  const now = useNow()
  const text = strings.tokens
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface-1">
      {tokens.map((token) => {
        const expired = Date.parse(token.expires_at) < now
        return (
          <li key={token.id} className="flex items-start justify-between gap-4 px-4 py-3">
            <div className="flex min-w-0 flex-col gap-1">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="font-medium">{token.name}</span>
                <span className="font-mono text-xs text-ink-3">{token.prefix}…</span>
                {token.scopes.map((scope) => (
                  <Badge key={scope} title={text.scope[scope]}>
                    {scope}
                  </Badge>
                ))}
                {expired ? <Badge tone="bad">{text.expired}</Badge> : null}
              </div>
              <p className="text-xs text-ink-3">
                {text.expires} {formatDateTime(token.expires_at)} · {text.lastUsed}{' '}
                {token.last_used_at ? formatAgo(token.last_used_at, now) : text.never}
              </p>
            </div>
            <Button size="sm" variant="danger" onPress={() => onRevoke(token)}>
              {text.revoke}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
