import { useState } from 'react'

import { Dialog } from '@/components/dialog'
import type { Source } from '@/graph/frames'
import { textOr } from '@/lib/format'

import { useRun } from './run-context'
import { text } from '@/strings/run'

const { picture: words } = text.agent

interface Props {
  picture: string
  page: Source | undefined
}

/** What the browser showed after an action: small, and large when it is pressed. */
export function PagePicture({ picture, page }: Readonly<Props>) {
  const [isOpen, setIsOpen] = useState(false)
  const [isGone, setIsGone] = useState(false)
  const src = useRun(({ apiPath }) => `${apiPath}/pictures/${picture}`)
  const title = textOr(page?.title, words.untitled)
  const image = (className: string) => (
    <img
      src={src}
      alt={words.alt(title, page?.address ?? '')}
      width={1280}
      height={800}
      loading="lazy"
      decoding="async"
      onError={() => setIsGone(true)}
      // A page is white where it says nothing else, also in a dark studio.
      className={`h-auto bg-white ${className}`}
    />
  )
  if (isGone) return <p className="text-xs text-ink-3">{words.gone}</p>
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
        className="w-48 max-w-full cursor-zoom-in self-start overflow-hidden rounded-md border border-line hover:border-line-strong"
      >
        {image('w-full')}
      </button>
      <Dialog
        title={title}
        wide="page"
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        footer={
          <a
            href={src}
            target="_blank"
            rel="noopener noreferrer"
            className="rounded-sm text-accent underline underline-offset-2"
          >
            {words.alone}
          </a>
        }
      >
        {page ? <p className="mb-3 text-xs wrap-anywhere text-ink-3">{page.address}</p> : null}
        {image('w-full rounded-sm border border-line')}
      </Dialog>
    </>
  )
}
