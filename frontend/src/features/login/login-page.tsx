import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type SyntheticEvent } from 'react'
import { Form } from 'react-aria-components'
import { useNavigate, useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { ErrorPanel } from '@/components/error-panel'
import { Mark } from '@/components/mark'
import { TextField } from '@/components/text-field'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

import { isServerPage, landing } from './landing'

export function LoginPage() {
  useTitle(strings.login.title)
  const [search] = useSearchParams()
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="flex w-full max-w-sm flex-col gap-6">
        <header className="flex flex-col gap-3">
          <Mark size={36} />
          <div>
            <h1 className="text-xl font-semibold tracking-tight">{strings.product}</h1>
            <p className="text-ink-2">{strings.login.lead}</p>
          </div>
        </header>
        {search.get('link') === 'spent' ? <ErrorPanel problem={strings.login.spentLink} /> : null}
        <LoginForm next={landing(search.get('next'))} />
        <p className="text-xs text-ink-3">{strings.login.hint}</p>
      </div>
    </main>
  )
}

function LoginForm({ next }: Readonly<{ next: string }>) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const client = useQueryClient()
  const login = useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/login', { body: { username, password } })),
    onSuccess: async (me) => {
      client.clear()
      client.setQueryData(queries.me.queryKey, me)
      if (isServerPage(next)) globalThis.location.replace(next)
      else await navigate(next, { replace: true })
    },
  })
  const error = login.error ? toApiError(login.error) : null
  const wait = useCountdown(error?.retryAfter ?? null, login.submittedAt)
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (!login.isPending) login.mutate()
  }
  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={strings.login.username}
        value={username}
        onChange={setUsername}
        autoComplete="username"
        autoFocus
        isRequired
        error={fieldMessage(error, 'username')}
      />
      <TextField
        label={strings.login.password}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        isRequired
        error={fieldMessage(error, 'password')}
      />
      {error?.fields.length === 0 ? (
        <ErrorPanel
          problem={{
            code: error.code,
            message: error.message,
            remedy: wait > 0 ? strings.login.wait(wait) : error.remedy,
          }}
        />
      ) : null}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        isPending={login.isPending}
        isDisabled={wait > 0 || username === '' || password === ''}
      >
        {strings.login.submit}
      </Button>
    </Form>
  )
}

/** Seconds left of a wait that began at `start` (milliseconds); 0 when there is none or it is over. */
function useCountdown(seconds: number | null, start: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (seconds === null) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [seconds, start])
  return seconds === null ? 0 : Math.max(0, Math.ceil(seconds - Math.max(0, now - start) / 1_000))
}
