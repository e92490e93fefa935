import { useEffect } from 'react'

import { strings } from '@/lib/strings'

/** The window's title: what this page is, then the product. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · ${strings.product}` : strings.product
  }, [title])
}
