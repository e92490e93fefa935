import { Download } from 'lucide-react'

import { buttonClass } from '@/components/button-class'
import { strings } from '@/strings/studio'

import { exportAddress, type RunFilters } from './filters'

const words = strings.runs.bulk

/** Everything that the filters let through, shown or not. */
export function DownloadAll({ filters }: Readonly<{ filters: RunFilters }>) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-3 sm:flex-row-reverse">
      <a
        href={exportAddress(filters)}
        download
        aria-describedby="download-all-help"
        className={buttonClass({ size: 'sm' })}
      >
        <Download size={14} aria-hidden />
        {words.downloadAll}
      </a>
      <span id="download-all-help">{words.downloadHelp}</span>
    </div>
  )
}
