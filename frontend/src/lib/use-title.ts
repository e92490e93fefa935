import { useEffect } from 'react'

import { strings } from '@/strings/studio'

let title = ''
let news = 0

const show = (): void => {
  const whole = title ? `${title} · ${strings.product}` : strings.product
  document.title = news > 0 ? `(${news}) ${whole}` : whole
}

/** The window's title: what this page is, then the product. */
export function useTitle(page: string): void {
  useEffect(() => {
    title = page
    show()
  }, [page])
}

/** How much news there is, for who looks at another tab; 0: none. */
export function setTitleMark(count: number): void {
  news = count
  show()
}
