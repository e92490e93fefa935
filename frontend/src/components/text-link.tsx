import type { ComponentProps } from 'react'
import { Link } from 'react-router'

import { cx } from './cx'

/** A link in a text or a table. */
export const TextLink = ({ className, ...link }: Readonly<ComponentProps<typeof Link>>) => (
  <Link {...link} className={cx('rounded-sm text-accent hover:underline', className)} />
)
