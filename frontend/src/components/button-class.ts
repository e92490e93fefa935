import { cx } from './cx'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

const variants: Readonly<Record<ButtonVariant, string>> = {
  primary:
    'bg-accent text-accent-ink hover:bg-accent-hover data-[pressed]:bg-accent-hover border-transparent',
  secondary:
    'bg-surface-1 text-ink border-line hover:bg-surface-2 hover:border-line-strong data-[pressed]:bg-surface-3',
  quiet:
    'bg-transparent text-ink-2 border-transparent hover:bg-surface-2 hover:text-ink data-[pressed]:bg-surface-3',
  danger: 'bg-surface-1 text-bad border-line hover:bg-bad-soft hover:border-bad',
}

const sizes: Readonly<Record<ButtonSize, readonly [wide: string, square: string]>> = {
  sm: ['h-7 px-2 text-xs gap-1', 'size-7'],
  md: ['h-8 px-3 text-sm gap-1.5', 'size-8'],
  lg: ['h-9 px-4 text-sm gap-2', 'size-9'],
}

/** The look of a button, also for links that act as one. */
export const buttonClass = ({
  variant = 'secondary',
  size = 'md',
  square = false,
}: {
  variant?: ButtonVariant
  size?: ButtonSize
  square?: boolean
} = {}): string =>
  cx(
    'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap',
    'transition-colors duration-100 data-[disabled]:pointer-events-none data-[disabled]:opacity-50',
    'data-[pending]:cursor-progress',
    variants[variant],
    sizes[size][square ? 1 : 0],
  )
