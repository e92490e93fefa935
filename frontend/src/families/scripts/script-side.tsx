import type { SideProps } from '@/components/run/family-views'
import { useWide } from '@/lib/use-wide'

import { BlockPart } from './block-part'
import { CallList } from './call-list'
import { chosenIn } from './chosen'
import { EndPart } from './end-part'
import { ScriptPane } from './script-pane'
import { useScripts } from './use-scripts'
import { text } from './words'

/** What is chosen, or all calls and the end. On a phone below the script. */
export function ScriptSide({ selected, onSelect, onAgent }: Readonly<SideProps>) {
  const wide = useWide()
  const scripts = useScripts()
  const chosen = chosenIn(selected, scripts.drawing, Infinity)
  return (
    <section aria-label={text.side} className="flex flex-col">
      {!wide && scripts.drawing
        ? scripts.writings.map((writing, index) => (
            <ScriptPane
              key={writing.number}
              {...{ scripts, writing, selected, onSelect }}
              before={scripts.writings[index - 1]}
              className="border-b border-line"
            />
          ))
        : null}
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
