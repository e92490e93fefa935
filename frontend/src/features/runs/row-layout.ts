/** One grid for head and rows: a card up to `lg`, eleven columns from there. */
export const COLUMNS =
  'lg:grid lg:grid-cols-[6.75rem_minmax(12rem,3fr)_minmax(6rem,1fr)_minmax(6rem,1.4fr)_3.5rem_4.5rem_4.5rem_5.5rem_6.5rem_6rem_2.25rem] lg:gap-x-4'

export const headerClass =
  'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3'
