import { Disclosure } from '@/components/disclosure'
import type { SideProps } from '@/components/run/family-views'
import { useWide } from '@/lib/use-wide'

import { BlockPart } from './block-part'
import { CallList } from './call-list'
import { chosenIn } from './chosen'
import { EndPart } from './end-part'
import { stateOf } from './script-head'
import { ScriptPane } from './script-pane'
import { useScripts, type Scripts } from './use-scripts'
import { text } from './words'

/** What is chosen, or all calls and the end. On a phone below the script. */
export function ScriptSide({ selected, onSelect, onAgent }: Readonly<SideProps>) {
  const wide = useWide()
  const scripts = useScripts()
  const chosen = chosenIn(selected, scripts.drawing, Infinity)
  return (
    <section aria-label={text.side} className="flex flex-col">
      {!wide && scripts.drawing ? <Below {...{ scripts, selected, onSelect }} /> : null}
      {chosen ? (
        <BlockPart
          key={chosen.id}
          {...{ chosen, scripts, onAgent }}
          onClose={() => onSelect(null)}
        />
      ) : (
        <>
          <EndPart scripts={scripts} />
          <CallList {...{ scripts, onSelect, onAgent }} />
        </>
      )}
    </section>
  )
}

interface BelowProps {
  scripts: Scripts
  selected: string | null
  onSelect: (id: string | null) => void
}

/** The script that runs; those before it are folded. */
function Below({ scripts, ...rest }: Readonly<BelowProps>) {
  const { last, writings } = scripts
  return (
    <>
      {writings.slice(0, -1).map((writing) => (
        <Disclosure
          key={writing.number}
          title={text.script.name(writing.number)}
          hint={stateOf(writing)}
          className="border-b border-line px-3"
          panelClassName="-mx-3"
        >
          <ScriptPane {...{ scripts, writing, ...rest }} />
        </Disclosure>
      ))}
      <ScriptPane {...{ scripts, ...rest }} writing={last} className="border-b border-line" />
    </>
  )
}
