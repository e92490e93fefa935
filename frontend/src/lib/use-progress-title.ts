import { useTitle } from './use-title'

/** Done of total as whole percent; 100 % only when all is done. */
export const formatPercentDone = (done: number, total: number): string =>
  total > 0 ? `${Math.floor((100 * done) / total)} %` : '0 %'

/** The window's title with how far the work is, so that it can be read from the tab: "42 % · name". */
export const useProgressTitle = (title: string, progress: string | null): void =>
  useTitle(progress === null ? title : `${progress} · ${title}`)
