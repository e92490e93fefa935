/** One grid for head and rows: a card up to `lg`, ten columns from there. */
export const COLUMNS =
  'lg:grid lg:grid-cols-[1.25rem_6.25rem_minmax(12rem,1.9fr)_minmax(7rem,1fr)_4.5rem_3.75rem_4.5rem_5rem_5.75rem_1.75rem] lg:gap-x-4'

export const headerClass =
  'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3'
